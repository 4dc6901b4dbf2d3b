import { createHash } from 'node:crypto';
import { getCrate, getCrateIndex } from '../../functions/cargo/contracts.ts';
import { getChocolateyDocument } from '../../functions/chocolatey/contracts.ts';
import { getComposerDocument } from '../../functions/composer/contracts.ts';
import { getConanDocument } from '../../functions/conan/contracts.ts';
import { getImageContent } from '../../functions/docker/contracts.ts';
import { getGemsDocument } from '../../functions/gems/contracts.ts';
import { getGoFile } from '../../functions/go/contracts.ts';
import { getHelmDocument } from '../../functions/helm/contracts.ts';
import { getMavenFile } from '../../functions/maven/contracts.ts';
import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { getNugetDocument } from '../../functions/nuget/contracts.ts';
import { getPypiDocument } from '../../functions/pypi/contracts.ts';
import { getUniversalFile } from '../../functions/universal/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { sha256 } from '../harness/bytes.ts';
import { digestOf, imageMediaType, manifestOf, newImage } from '../harness/images.ts';
import { packumentOf } from '../harness/npm.ts';
import { debian, rpm } from './linux-contents.ts';

/** What a client asks for, and what it must read. */
export interface Wanted {
  readonly contract: Contract;
  /** Below the address of the repository. */
  readonly path: string;
  /** The text of the answer, or a part of it. */
  readonly text: string;
  /** Where the upstream has it. */
  readonly at: string;
}

/** What an upstream of a type has by path, and a document and a file of it. */
export interface UpstreamContent {
  readonly contents: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** What follows the URL of the upstream in that of a remote repository. */
  readonly urlEnd?: string;
  readonly document?: Wanted;
  readonly file: Wanted;
}

const text = 'the file';

const npm = (url: string): UpstreamContent => ({
  contents: {
    '/tool': JSON.stringify(packumentOf(url, 'tool', { '1.0.0': { tarball: Buffer.from(text) } })),
    '/tool/-/tool-1.0.0.tgz': text,
  },
  document: { contract: getNpmDocument, path: 'tool', text: '"integrity":"sha512-', at: '/tool' },
  file: { contract: getNpmDocument, path: 'tool/-/tool-1.0.0.tgz', text, at: '/tool/-/tool-1.0.0.tgz' },
});

const pypi = (): UpstreamContent => {
  const filename = 'tool-1.0.0.tar.gz';
  const files = [{ filename, url: `/packages/${filename}`, hashes: { sha256: sha256(text) } }];
  return {
    contents: {
      '/simple/tool/': JSON.stringify({ meta: { 'api-version': '1.0' }, name: 'tool', files }),
      [`/packages/${filename}`]: text,
    },
    document: { contract: getPypiDocument, path: 'simple/tool/', text: filename, at: '/simple/tool/' },
    file: {
      contract: getPypiDocument,
      path: `files/tool/1.0.0/${filename}`,
      text,
      at: `/packages/${filename}`,
    },
  };
};

const maven = (): UpstreamContent => {
  const [jar, metadata] = ['org/acme/tool/1.0.0/tool-1.0.0.jar', 'org/acme/tool/maven-metadata.xml'];
  const xml = '<metadata><versioning><versions><version>1.0.0</version></versions></versioning></metadata>';
  const sha1 = createHash('sha1').update(text).digest('hex');
  return {
    contents: { [`/${jar}`]: text, [`/${jar}.sha1`]: sha1, [`/${metadata}`]: xml },
    document: { contract: getMavenFile, path: metadata, text: '<version>1.0.0</version>', at: `/${metadata}` },
    file: { contract: getMavenFile, path: jar, text, at: `/${jar}` },
  };
};

const go = (): UpstreamContent => {
  // It begins as a zip does.
  const archive = `PK${text}`;
  const [list, zip] = ['corp.example/tool/@v/list', 'corp.example/tool/@v/v1.0.0.zip'];
  return {
    contents: { [`/${list}`]: 'v1.0.0\n', [`/${zip}`]: archive },
    document: { contract: getGoFile, path: list, text: 'v1.0.0\n', at: `/${list}` },
    file: { contract: getGoFile, path: zip, text: archive, at: `/${zip}` },
  };
};

const cargo = (url: string): UpstreamContent => {
  const line = { name: 'tool', vers: '1.0.0', deps: [], cksum: sha256(text), features: {}, yanked: false };
  return {
    contents: {
      '/to/ol/tool': JSON.stringify(line),
      '/config.json': JSON.stringify({ dl: `${url}/files/{crate}-{version}` }),
      '/files/tool-1.0.0': text,
    },
    document: { contract: getCrateIndex, path: 'to/ol/tool', text: '"vers":"1.0.0"', at: '/to/ol/tool' },
    file: { contract: getCrate, path: 'api/v1/crates/tool/1.0.0/download', text, at: '/files/tool-1.0.0' },
  };
};

const composer = (url: string): UpstreamContent => {
  // It begins as a zip does.
  const archive = `PK${text}`;
  const dist = { type: 'zip', url: `${url}/files/tool.zip`, reference: 'abc', shasum: '' };
  const version = { name: 'acme/tool', version: '1.0.0', version_normalized: '1.0.0.0', dist };
  return {
    contents: {
      '/packages.json': JSON.stringify({ 'metadata-url': '/p2/%package%.json' }),
      '/p2/acme/tool.json': JSON.stringify({ packages: { 'acme/tool': [version] } }),
      '/files/tool.zip': archive,
    },
    document: {
      contract: getComposerDocument,
      path: 'p2/acme/tool.json',
      text: '"version":"1.0.0"',
      at: '/p2/acme/tool.json',
    },
    file: { contract: getComposerDocument, path: 'dist/acme/tool/1.0.0/abc.zip', text: archive, at: '/files/tool.zip' },
  };
};

const conan = (): UpstreamContent => {
  const recipe = 'v2/conans/tool/1.0/_/_';
  const [latest, file] = [`${recipe}/latest`, `${recipe}/revisions/0123456789abcdef/files/conanfile.py`];
  const revision = { revision: '0123456789abcdef', time: '2026-01-01T00:00:00.000+0000' };
  return {
    contents: { [`/${latest}`]: JSON.stringify(revision), [`/${file}`]: text },
    document: { contract: getConanDocument, path: latest, text: '"revision":"0123456789abcdef"', at: `/${latest}` },
    file: { contract: getConanDocument, path: file, text, at: `/${file}` },
  };
};

const gems = (): UpstreamContent => {
  const info = `---\n1.0.0 |checksum:${sha256(text)}\n`;
  return {
    contents: { '/info/tool': info, '/gems/tool-1.0.0.gem': text },
    document: { contract: getGemsDocument, path: 'info/tool', text: '1.0.0 |checksum', at: '/info/tool' },
    file: { contract: getGemsDocument, path: 'gems/tool-1.0.0.gem', text, at: '/gems/tool-1.0.0.gem' },
  };
};

const helm = (): UpstreamContent => {
  const entry = { apiVersion: 'v2', name: 'tool', version: '1.0.0', urls: ['files/tool.tgz'], digest: sha256(text) };
  return {
    contents: {
      '/index.yaml': JSON.stringify({ apiVersion: 'v1', entries: { tool: [entry] } }),
      '/files/tool.tgz': text,
    },
    document: { contract: getHelmDocument, path: 'index.yaml', text: '"version":"1.0.0"', at: '/index.yaml' },
    file: { contract: getHelmDocument, path: 'charts/tool/tool-1.0.0.tgz', text, at: '/files/tool.tgz' },
  };
};

const nuget = (url: string): UpstreamContent => {
  // It begins as a zip does.
  const archive = `PK${text}`;
  const [versions, file] = ['tool/index.json', 'tool/1.0.0/tool.1.0.0.nupkg'];
  const resources = [{ '@id': `${url}/files/`, '@type': 'PackageBaseAddress/3.0.0' }];
  return {
    contents: {
      '/index.json': JSON.stringify({ version: '3.0.0', resources }),
      [`/files/${versions}`]: JSON.stringify({ versions: ['1.0.0'] }),
      [`/files/${file}`]: archive,
    },
    document: { contract: getNugetDocument, path: `v3/flat/${versions}`, text: '"1.0.0"', at: `/files/${versions}` },
    file: { contract: getNugetDocument, path: `v3/flat/${file}`, text: archive, at: `/files/${file}` },
  };
};

const chocolatey = (url: string): UpstreamContent => {
  const archive = `PK${text}`;
  const entry = `<entry><title>tool</title><content src="${url}/files/tool"/><properties><Version>1.0.0</Version></properties></entry>`;
  const at = '/FindPackagesById()?id=%27tool%27&semVerLevel=2.0.0';
  return {
    contents: { [at]: `<feed>${entry}</feed>`, '/files/tool': archive },
    document: { contract: getChocolateyDocument, path: "FindPackagesById()?id='tool'", text: '>1.0.0<', at },
    file: { contract: getChocolateyDocument, path: 'package/tool/1.0.0', text: archive, at: '/files/tool' },
  };
};

const docker = (): UpstreamContent => {
  const image = newImage();
  const [manifest, layer] = [manifestOf(image), String(image.layers[0])];
  const [tag, blob] = ['tool/manifests/1', `tool/blobs/${digestOf(layer)}`];
  return {
    contents: {
      [`/v2/${tag}`]: manifest,
      [`/v2/tool/manifests/${digestOf(manifest)}`]: manifest,
      [`/v2/${blob}`]: layer,
    },
    headers: { 'Content-Type': imageMediaType, 'Docker-Content-Digest': digestOf(manifest) },
    document: { contract: getImageContent, path: tag, text: manifest, at: `/v2/${tag}` },
    file: { contract: getImageContent, path: blob, text: layer, at: `/v2/${blob}` },
  };
};

const universal = (): UpstreamContent => {
  const path = 'tool/1.0.0/tool.bin';
  return {
    contents: { [`/${path}`]: text },
    urlEnd: '/{package-name}/{version}/{file}',
    file: { contract: getUniversalFile, path, text, at: `/${path}` },
  };
};

/** What an upstream at a URL has, for each package type. */
export const contentOf = {
  universal,
  npm,
  pypi,
  maven,
  go,
  cargo,
  composer,
  conan,
  gems,
  helm,
  nuget,
  chocolatey,
  docker,
  rpm,
  debian,
} as const satisfies Partial<Record<PackageType, (url: string) => UpstreamContent>>;

export const contentTypes = Object.keys(contentOf) as (keyof typeof contentOf)[];
