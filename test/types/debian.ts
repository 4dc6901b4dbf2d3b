import { gunzipSync } from 'node:zlib';
import { deleteDebianPackage, getDebianDocument, publishDebianPackage } from '../../functions/debian/contracts.ts';
import { type PackageFormat, paramsOf } from '../harness/package-format.ts';
import { whenAvailable } from '../harness/retry.ts';
import type { Service } from '../harness/service.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { contentIn, debOf, debPath, type TestDeb } from './debian-files.ts';
import { type RepositoryRequest, useRepositoryOf } from './repository-requests.ts';

/** The hash, in a line of 64 digits, by which a Release names a document. */
export const hashIn = (release: string, path: string): string =>
  release
    .split('\n')
    .find((line) => /^ [0-9a-f]{64} /.test(line) && line.endsWith(` ${path}`))
    ?.slice(1, 65) ?? '';

/** The names and versions in a list of packages, in its order. */
export const packagesIn = (list: string): string[] =>
  Array.from(list.matchAll(/^Package: (.*)\nVersion: (.*)$/gm), ([, name, version]) => `${name} ${version}`);

/** Where a list of packages is. */
export interface ListAt {
  readonly distribution?: string;
  readonly component?: string;
  readonly architecture?: string;
  readonly repository?: Named;
}

/** A workspace with a repository for packages of Debian, and the requests that are sent to it. */
export const useDebian = (service: Service) => {
  const requests = useRepositoryOf(service, 'debian', {
    publish: publishDebianPackage,
    read: getDebianDocument,
    remove: deleteDebianPackage,
  });
  const { put, bytesOf } = requests;
  /** The list that the InRelease names now, asked for by its hash as apt does. */
  const list = async ({
    distribution = 'stable',
    component = 'main',
    architecture = 'amd64',
    repository,
  }: ListAt = {}) => {
    const release = (await bytesOf(`dists/${distribution}/InRelease`, repository)).toString();
    const folder = `${component}/binary-${architecture}`;
    const hash = hashIn(release, `${folder}/Packages.gz`);
    return gunzipSync(await bytesOf(`dists/${distribution}/${folder}/by-hash/SHA256/${hash}`, repository)).toString();
  };
  return {
    ...requests,
    list,
    /** The packages that a client sees. */
    packages: async (where?: ListAt) => packagesIn(await list(where)),
    /** Publishes a version, of a new package unless it is named; returns the package. */
    published: async (each: Partial<TestDeb> = {}, place?: string, request?: RepositoryRequest): Promise<TestDeb> => {
      const whole = { name: uniqueName('pkg'), version: '1.0', ...each };
      const { status, text } = await whenAvailable(() => put(debPath(whole, place), debOf(whole), request));
      if (status !== 201) throw new Error(`${whole.name} ${whole.version} was not published: ${text}`);
      return whole;
    },
  };
};

/** What the clients of the type do. */
export const debianFormat: PackageFormat = {
  packageType: 'debian',
  hasRepositoryIndex: true,
  versionOf: (version) => `stable/main/${version}_all`,
  publishing: publishDebianPackage,
  downloading: getDebianDocument,
  publish: async ({ client }, { name, version, as, ...place }, content) =>
    client.attempt(publishDebianPackage, {
      params: paramsOf(place, debPath({ name, version })),
      bytes: { content: debOf({ name, version, content }), mediaType: 'application/octet-stream' },
      as,
    }),
  download: async ({ client }, { name, version, as, ...place }) => {
    const answer = await client.attempt(getDebianDocument, { params: paramsOf(place, debPath({ name, version })), as });
    return { ...answer, text: contentIn(answer.text) ?? answer.text };
  },
  versions: async (service, { name, as, ...place }) => {
    const { status, text } = await service.client.attempt(getDebianDocument, {
      params: paramsOf(place, 'dists/stable/InRelease'),
      as,
    });
    if (status !== 200) return undefined;
    const { workspace, repository } = paramsOf(place, '');
    const folder = 'main/binary-all';
    const path = `dists/stable/${folder}/by-hash/SHA256/${hashIn(text, `${folder}/Packages.gz`)}`;
    const url = `${service.runner.url}/debian/${workspace}/${repository}/${path}`;
    const answer = await fetch(url, { headers: { Authorization: as } });
    const list = gunzipSync(Buffer.from(await answer.arrayBuffer())).toString();
    const found = packagesIn(list).filter((each) => each.startsWith(`${name} `));
    const versions = found.map((each) => each.slice(name.length + 1));
    return versions.length > 0 ? versions : undefined;
  },
};
