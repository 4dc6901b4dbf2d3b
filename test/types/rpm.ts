import { gunzipSync } from 'node:zlib';
import { deleteRpmPackage, getRpmDocument, publishRpmPackage } from '../../functions/rpm/contracts.ts';
import { type PackageFormat, paramsOf } from '../harness/package-format.ts';
import { whenAvailable } from '../harness/retry.ts';
import type { Service } from '../harness/service.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { type RepositoryRequest, useRepositoryOf } from './repository-requests.ts';
import { contentIn, rpmOf, rpmPath, type TestRpm } from './rpm-files.ts';

/** The file below `repodata/` that a repomd.xml names, of a type. */
export const namedIn = (repomd: string, type: string): string =>
  new RegExp(`<data type="${type}">[\\s\\S]*?href="repodata/([^"]+)"`).exec(repomd)?.[1] ?? '';

/** The names, versions and releases in a list of packages, in its order. */
export const buildsIn = (primary: string): string[] =>
  Array.from(
    primary.matchAll(/<name>([^<]*)<\/name>[\s\S]*?<version epoch="(\d+)" ver="([^"]*)" rel="([^"]*)"\/>/g),
    ([, name, epoch, version, release]) => `${name} ${epoch}:${version}-${release}`,
  );

/** A workspace with a repository for packages of rpm, and the requests that are sent to it. */
export const useRpm = (service: Service) => {
  const requests = useRepositoryOf(service, 'rpm', {
    publish: publishRpmPackage,
    read: getRpmDocument,
    remove: deleteRpmPackage,
  });
  const { put, bytesOf } = requests;
  /** A list of a group that the repomd.xml names now. */
  const list = async (type: string, { group = '', repository }: { group?: string; repository?: Named } = {}) => {
    const below = group === '' ? 'repodata' : `${group}/repodata`;
    const repomd = (await bytesOf(`${below}/repomd.xml`, repository)).toString();
    return gunzipSync(await bytesOf(`${below}/${namedIn(repomd, type)}`, repository)).toString();
  };
  return {
    ...requests,
    list,
    /** The builds that a client sees. */
    builds: async (where?: { group?: string; repository?: Named }) => buildsIn(await list('primary', where)),
    /** Publishes a version, of a new package unless it is named; returns the package. */
    published: async (each: Partial<TestRpm> = {}, group = '', request?: RepositoryRequest): Promise<TestRpm> => {
      const whole = { name: uniqueName('pkg'), version: '1.0', ...each };
      const { status, text } = await whenAvailable(() => put(rpmPath(whole, group), rpmOf(whole), request));
      if (status !== 201) throw new Error(`${whole.name} ${whole.version} was not published: ${text}`);
      return whole;
    },
  };
};

/** What the clients of the type do. */
export const rpmFormat: PackageFormat = {
  packageType: 'rpm',
  hasRepositoryIndex: true,
  versionOf: (version) => `${version}-1.noarch`,
  publishing: publishRpmPackage,
  downloading: getRpmDocument,
  publish: async ({ client }, { name, version, as, ...place }, content) =>
    client.attempt(publishRpmPackage, {
      params: paramsOf(place, rpmPath({ name, version })),
      bytes: { content: rpmOf({ name, version, content }), mediaType: 'application/octet-stream' },
      as,
    }),
  download: async ({ client }, { name, version, as, ...place }) => {
    const answer = await client.attempt(getRpmDocument, { params: paramsOf(place, rpmPath({ name, version })), as });
    return { ...answer, text: contentIn(answer.text) ?? answer.text };
  },
  versions: async (service, { name, as, ...place }) => {
    const { status, text } = await service.client.attempt(getRpmDocument, {
      params: paramsOf(place, 'repodata/repomd.xml'),
      as,
    });
    if (status !== 200) return undefined;
    const { workspace, repository } = paramsOf(place, '');
    const url = `${service.runner.url}/rpm/${workspace}/${repository}/repodata/${namedIn(text, 'primary')}`;
    const list = await fetch(url, { headers: { Authorization: as } });
    const primary = gunzipSync(Buffer.from(await list.arrayBuffer())).toString();
    const builds = buildsIn(primary).filter((build) => build.startsWith(`${name} `));
    const versions = builds.map((build) => /:(.*)-/.exec(build)?.[1] ?? '');
    return versions.length > 0 ? versions : undefined;
  },
};
