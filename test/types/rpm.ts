import { gunzipSync } from 'node:zlib';
import { deleteRpmPackage, getRpmDocument, publishRpmPackage } from '../../functions/rpm/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { Answer } from '../harness/client.ts';
import { type PackageFormat, paramsOf } from '../harness/package-format.ts';
import { whenAvailable } from '../harness/retry.ts';
import type { Service } from '../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
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

/** A request below the address of a repository; what it leaves out is a plain request of a system admin. */
export interface RpmRequest {
  readonly repository?: Named;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: Uint8Array;
}

/** A workspace with a repository for packages of rpm, and the requests that are sent to it. */
export const useRpm = (service: Service) => {
  const setting = {} as { workspace: Named; repository: Named; admin: Actor };
  beforeAll(async () => {
    const [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
    const repository = await service.world.repository(workspace, undefined, 'rpm');
    Object.assign(setting, { workspace, admin, repository });
  });
  const send = async (contract: Contract, path: string, request: RpmRequest = {}): Promise<Answer> => {
    const { method = contract.method, repository = setting.repository, headers = {}, body } = request;
    return service.client.sendTo(contract, {
      method,
      path: `/rpm/${setting.workspace.name}/${repository.name}/${path}`,
      headers: Object.entries({ Authorization: request.as ?? setting.admin.bearer, ...headers }),
      ...(body && { body }),
    });
  };
  const put = async (path: string, body: Uint8Array, request?: RpmRequest): Promise<Answer> =>
    send(publishRpmPackage, path, {
      ...request,
      headers: { 'Content-Type': 'application/octet-stream', ...request?.headers },
      body,
    });
  const get = async (path: string, request?: RpmRequest): Promise<Answer> => send(getRpmDocument, path, request);
  /** The bytes of a path, which the other ways read as text. */
  const bytesOf = async (path: string, { name } = setting.repository): Promise<Buffer> => {
    const url = `${service.runner.url}/rpm/${setting.workspace.name}/${name}/${path}`;
    const answer = await fetch(url, { headers: { Authorization: setting.admin.bearer } });
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
  };
  /** A list of a group that the repomd.xml names now. */
  const list = async (type: string, { group = '', repository }: { group?: string; repository?: Named } = {}) => {
    const below = group === '' ? 'repodata' : `${group}/repodata`;
    const repomd = (await bytesOf(`${below}/repomd.xml`, repository)).toString();
    return gunzipSync(await bytesOf(`${below}/${namedIn(repomd, type)}`, repository)).toString();
  };
  return {
    setting,
    send,
    put,
    get,
    bytesOf,
    list,
    remove: async (path: string, request?: RpmRequest): Promise<Answer> => send(deleteRpmPackage, path, request),
    /** The builds that a client sees. */
    builds: async (where?: { group?: string; repository?: Named }) => buildsIn(await list('primary', where)),
    /** Publishes a version, of a new package unless it is named; returns the package. */
    published: async (each: Partial<TestRpm> = {}, group = '', request?: RpmRequest): Promise<TestRpm> => {
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
