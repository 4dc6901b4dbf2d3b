import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import tar from 'tar-stream';
import type { PackageType } from '../../shared/package-types.ts';
import { sha256 } from '../harness/bytes.ts';
import { archiveOf, manifestOf } from '../harness/cargo.ts';
import { moduleZip } from '../harness/go.ts';
import { chartOf } from '../harness/helm.ts';
import { moduleOf, wheelName, wheelOf } from '../harness/pypi.ts';
import type { Upstream } from '../harness/upstream.ts';
import { packageZip, sha1 } from '../types/composer.ts';
import { conan } from './conan-upstream.ts';
import type { Package } from './drivers/driver.ts';
import { escapedPath, goVersion, moduleFiles } from './drivers/go.ts';
import { debianSite } from './upstream-debian.ts';
import { chocolatey, nuget } from './upstream-feeds.ts';
import { gemSite } from './upstream-gems.ts';
import { mavenSite } from './upstream-maven.ts';
import { rpmSite } from './upstream-rpm.ts';
import { etagged, longAgo, type UpstreamPackage, type UpstreamType } from './upstream-type.ts';

const tarballOf = async ({ name, version, content }: Package): Promise<Buffer> => {
  const pack = tar.pack();
  pack.entry({ name: 'package/package.json' }, JSON.stringify({ name, version, main: 'index.js' }));
  pack.entry({ name: 'package/index.js' }, content);
  pack.finalize();
  return buffer(pack.pipe(createGzip()));
};

const npm: UpstreamType = {
  urlOf: ({ url }) => `${url}/npm/`,
  documentsOf: async (upstream, versions) => {
    const { name = '' } = versions[0] ?? {};
    const packument = { name, 'dist-tags': { latest: versions.at(-1)?.version }, versions: {}, time: {} };
    const documents: Record<string, RequestListener> = {};
    for (const each of versions) {
      const tarball = await tarballOf(each);
      const path = `/npm/${name}/-/${name.split('/').at(-1)}-${each.version}.tgz`;
      documents[path] = etagged(tarball, 'application/octet-stream');
      const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
      const dist = { tarball: upstream.url + path, integrity };
      Object.assign(packument.versions, { [each.version]: { name, version: each.version, main: 'index.js', dist } });
      Object.assign(packument.time, { [each.version]: each.publishedAt ?? longAgo });
    }
    return { ...documents, [`/npm/${name}`]: etagged(JSON.stringify(packument), 'application/json') };
  },
};

const universal: UpstreamType = {
  urlOf: ({ url }) => `${url}/files/{package-name}/{version}/{file}`,
  // A file has no newer version under its address: the upstream replaces it.
  documentsOf: async (_upstream, versions) =>
    Object.fromEntries(
      versions.map(({ name, content }) => [`/files/${name}/1.0.0/file.txt`, etagged(content, 'text/plain')]),
    ),
};

const go: UpstreamType = {
  urlOf: ({ url }) => `${url}/go`,
  documentsOf: async (_upstream, versions) => {
    const documents: Record<string, RequestListener> = {};
    for (const each of versions) {
      const [version, files] = [goVersion(each.version), moduleFiles(each)];
      const path = `/go/${escapedPath(each.name)}/@v/${version}`;
      documents[`${path}.info`] = etagged(
        JSON.stringify({ Version: version, Time: each.publishedAt }),
        'application/json',
      );
      documents[`${path}.mod`] = etagged(files['go.mod'] ?? '', 'text/plain');
      documents[`${path}.zip`] = etagged(moduleZip(each.name, version, files), 'application/zip');
    }
    const list = versions.map(({ version }) => `${goVersion(version)}\n`).join('');
    return { ...documents, [`/go/${escapedPath(versions[0]?.name ?? '')}/@v/list`]: etagged(list, 'text/plain') };
  },
};

const cargo: UpstreamType = {
  urlOf: ({ url }) => `sparse+${url}/index/`,
  documentsOf: async ({ url }, versions) => {
    const documents: Record<string, RequestListener> = {};
    const lines: string[] = [];
    const { name = '' } = versions[0] ?? {};
    for (const each of versions) {
      const folder = `${name}-${each.version}`;
      const file = await archiveOf({
        [`${folder}/Cargo.toml`]: manifestOf(each),
        [`${folder}/src/lib.rs`]: each.content,
      });
      documents[`/files/${folder}.crate`] = etagged(file, 'application/gzip');
      const fields = { name, vers: each.version, deps: [], cksum: sha256(file), features: {}, yanked: false };
      const line = { ...fields, pubtime: each.publishedAt };
      lines.push(`${JSON.stringify(line)}\n`);
    }
    const config = JSON.stringify({ dl: `${url}/files/{crate}-{version}.crate` });
    return {
      ...documents,
      '/index/config.json': etagged(config, 'application/json'),
      [`/index/${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`]: etagged(lines.join(''), 'text/plain'),
    };
  },
};

const composer: UpstreamType = {
  urlOf: ({ url }) => `${url}/composer`,
  documentsOf: async ({ url }, versions) => {
    const { name = '' } = versions[0] ?? {};
    const documents: Record<string, RequestListener> = {};
    const list = versions.map((each) => {
      const [zip, path] = [packageZip(each), `/zipballs/${each.version}`];
      documents[path] = etagged(zip, 'application/zip');
      const dist = { type: 'zip', url: url + path, reference: sha1(zip), shasum: sha1(zip) };
      return { name, version: each.version, version_normalized: `${each.version}.0`, time: each.publishedAt, dist };
    });
    const root = JSON.stringify({ packages: [], 'metadata-url': '/composer/p2/%package%.json' });
    const document = JSON.stringify({ packages: { [name]: list.toReversed() }, minified: 'composer/2.0' });
    return {
      ...documents,
      '/composer/packages.json': etagged(root, 'application/json'),
      [`/composer/p2/${name}.json`]: etagged(document, 'application/json'),
    };
  },
};

const pypi: UpstreamType = {
  urlOf: ({ url }) => `${url}/pypi/simple/`,
  documentsOf: async (upstream, versions) => {
    const { name = '' } = versions[0] ?? {};
    const wheels = versions.map((each) => ({ ...each, file: wheelName(each), wheel: wheelOf(each) }));
    // The public index keeps files on another host.
    const folder = `/packages/${moduleOf(name)}`;
    const files = wheels.map(({ file, wheel, publishedAt = longAgo }) => ({
      filename: file,
      url: `${upstream.url}${folder}/${file}`,
      hashes: { sha256: sha256(wheel) },
      size: wheel.length,
      'upload-time': publishedAt,
    }));
    const page = { meta: { 'api-version': '1.1' }, name, versions: versions.map(({ version }) => version), files };
    const documents = wheels.map(({ file, wheel }) => [
      `${folder}/${file}`,
      etagged(wheel, 'application/octet-stream'),
    ]);
    return {
      ...(Object.fromEntries(documents) as Record<string, RequestListener>),
      [`/pypi/simple/${name}/`]: etagged(JSON.stringify(page), 'application/vnd.pypi.simple.v1+json'),
    };
  },
};

const helm: UpstreamType = {
  urlOf: ({ url }) => `${url}/helm`,
  documentsOf: async (_upstream, versions) => {
    const documents: Record<string, RequestListener> = {};
    // Indexes are large. One that is sent slowly must not be slower than upstreams may be.
    const comments = Array.from({ length: 8_000 }, () => '# An index of many charts.');
    const lines = [...comments, 'apiVersion: v1', 'entries:', `  ${versions[0]?.name}:`];
    for (const each of versions) {
      const chart = await chartOf(each);
      const file = `charts/${each.name}-${each.version}.tgz`;
      documents[`/helm/${file}`] = etagged(chart, 'application/gzip');
      lines.push(`  - name: ${each.name}`, `    version: ${each.version}`, '    apiVersion: v2');
      lines.push(
        `    created: "${each.publishedAt ?? longAgo}"`,
        `    digest: ${sha256(chart)}`,
        '    urls:',
        `    - ${file}`,
      );
    }
    return { ...documents, '/helm/index.yaml': etagged(`${lines.join('\n')}\n`, 'text/yaml') };
  },
};

const maven: UpstreamType = { urlOf: ({ url }) => `${url}/maven2/`, documentsOf: mavenSite };

const gems: UpstreamType = { urlOf: ({ url }) => `${url}/gems-site`, documentsOf: gemSite };

const rpm: UpstreamType = { urlOf: ({ url }) => `${url}/rpm-site`, documentsOf: rpmSite };

const debian: UpstreamType = { urlOf: ({ url }) => `${url}/debian-site`, documentsOf: debianSite };

const types: Partial<Record<PackageType, UpstreamType>> = {
  cargo,
  chocolatey,
  composer,
  conan,
  gems,
  npm,
  nuget,
  universal,
  go,
  pypi,
  maven,
  rpm,
  debian,
  helm,
};

const typeOf = (packageType: PackageType): UpstreamType => {
  const type = types[packageType];
  if (!type) throw new Error(`Nobody has said what an upstream of the type ${packageType} serves.`);
  return type;
};

/** The URL of a remote repository over the upstream. */
export const upstreamUrl = (upstream: Upstream, packageType: PackageType): string =>
  typeOf(packageType).urlOf(upstream);

/** Lets the upstream serve these versions of one package, oldest first, and nothing else. */
export const offer = async (
  upstream: Upstream,
  packageType: PackageType,
  ...versions: UpstreamPackage[]
): Promise<void> => {
  const documents = await typeOf(packageType).documentsOf(upstream, versions);
  upstream.answer = (request, response) => {
    const answer = documents[decodeURIComponent(request.url ?? '')];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  };
};
