import { environment } from '../../shared/config.ts';
import { ApiError } from '../../shared/errors.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { readBlob } from '../../shared/packages/blobs/stored-bytes.ts';
import { type FetchedFile, isFresh } from '../../shared/packages/fetch/file-cache.ts';
import { fetchFile } from '../../shared/packages/fetch/remote-files.ts';
import type { HandedOverFetch } from '../../shared/packages/fetch/worker-queue.ts';
import type { UpstreamFile } from '../../shared/packages/upstream/upstream-body.ts';
import { fetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import { Table } from '../../shared/table/client.ts';
import { type Key, repositoryKey } from '../../shared/table/keys.ts';
import { fileFetchKey, fileKey, upstreamPauseKey } from '../../shared/table/packages/package-keys.ts';
import type { PackageFile } from '../../shared/table/packages/packages.ts';
import { beginFetch, type UpstreamFetch } from '../../shared/table/packages/upstream-fetches.ts';
import { contentIdOf, type RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { createRemote } from './repositories.ts';
import { reachingLoopback, type Service, type ServiceOptions, useService } from './service.ts';
import { type Upstream, useUpstream } from './upstream.ts';
import type { Actor, Named } from './world.ts';

/** Lets this process ask upstreams as functions do. */
export const useUpstreams = (service: Service): void => {
  beforeAll(() => {
    Object.assign(process.env, {
      ...reachingLoopback,
      STOCKROOM_VERSION: '0.0.0',
      [environment.installation]: 'tests',
      [environment.upstreamKeyId]: 'key',
      [environment.upstreamAnswerMilliseconds]: '20000',
      AWS_ENDPOINT_URL_KMS: service.runner.kmsUrl,
    });
  });
};

type Fields = NonNullable<Parameters<typeof createRemote>[2]>;

/** A workspace and a System Admin; empty until the service has started. */
const useSetting = (service: Service): { readonly workspace: Named; readonly admin: Actor } => {
  const begun: Partial<{ workspace: Named; admin: Actor }> = {};
  beforeAll(async () => {
    const { world } = service;
    Object.assign(begun, { workspace: await world.workspace(), admin: await world.systemAdmin() });
  });
  return begun as Required<typeof begun>;
};

/** A service, one upstream that this process asks as functions do, and who asks. */
export const useRemotes = (options: ServiceOptions = {}) => {
  const service = useService(options);
  useUpstreams(service);
  return { service, upstream: useUpstream(), setting: useSetting(service) };
};

/** A client of remote repositories over one upstream, in one workspace, as its System Admin. */
export const useRemoteClient = () => {
  const service = useService();
  const upstream = useUpstream();
  const setting = useSetting(service);
  return {
    service,
    upstream,
    setting,
    /** A new remote repository over the upstream; of universal files, with the usual template. */
    remote: async ({ packageType, ...fields }: Fields): Promise<Named> =>
      createRemote(service, setting.workspace, {
        packageType,
        remoteRepositoryUrl: packageType === 'universal' ? templateOf(upstream) : upstream.url,
        ...fields,
      }),
    /** Asks for a path in a repository of a package type. */
    get: async (contract: Contract, packageType: PackageType, { name }: Pick<Named, 'name'>, path: string) =>
      service.client.sendTo(contract, {
        path: `/${packageType === 'docker' ? 'v2' : packageType}/${setting.workspace.name}/${name}/${path}`,
        headers: [['Authorization', setting.admin.bearer]],
      }),
  };
};

const templateOf = ({ url }: Pick<Upstream, 'url'>): string => `${url}/{package-name}/{version}/{file}`;

/** Lets some seconds pass since the first question without an answer, if there was one: of failures to connect, the last counts only then. */
export const passSeconds = async (repositoryId: string): Promise<void> => {
  const past = Date.now() - 3_500;
  const update = upstreamPauseKey(repositoryId);
  const [set, condition] = ['SET #silentSince = :past', 'attribute_exists(#silentSince)'];
  await new Table().update({ update, set, if: condition, values: { ':past': past } });
};

/** What the table holds under a key. */
export const stored = async <T>(key: Key<T>): Promise<T | undefined> => (await new Table().read([key])).find(key);

/** A remote repository over an upstream, in a workspace of its own, as stored. */
export const remoteOf = async (
  service: Service,
  upstream: Pick<Upstream, 'url'>,
  fields: Fields = {},
): Promise<RemoteRepository> => {
  const workspace = await service.world.workspace();
  const remoteRepositoryUrl = templateOf(upstream);
  const { id } = await createRemote(service, workspace, { packageType: 'universal', remoteRepositoryUrl, ...fields });
  const found = await stored(repositoryKey(workspace.id, id));
  if (found?.repositoryType !== 'remote') throw new Error('There is no such remote repository.');
  return found;
};

/** The one file that tests download. */
export const address = { name: 'tool', version: '1.0.0', file: 'tool.bin' };

export const refOf = ({ repositoryId }: RemoteRepository) => ({ contentId: repositoryId, name: address.name });
export const leaseKeyOf = (source: RemoteRepository): Key<UpstreamFetch> =>
  fileFetchKey(refOf(source), address.version, address.file);
export const keyOf = (source: RemoteRepository): Key<PackageFile> =>
  fileKey(refOf(source), address.version, address.file);

/** Does work for a request, which ends with what is written beside its answer. */
export const inRequest = async <T>(work: (table: Table) => Promise<T>): Promise<T> => {
  const table = new Table();
  try {
    return await work(table);
  } finally {
    await table.sideWork.ended();
  }
};

/** Fetches a file as a function does, within the time that the function has. */
export const fetchAt = async (
  source: RemoteRepository,
  { name, version, file }: typeof address,
  cached: PackageFile | undefined,
  at: UpstreamFile,
): Promise<FetchedFile | undefined> =>
  inRequest(async (table) =>
    fetchFile(fetchRequest({ table }), source, { address: { name, version, file }, cached }, async () => at),
  );

/** Downloads it as functions do: what is cached and fresh needs no fetch. */
export const download = async (
  source: RemoteRepository,
  expected?: UpstreamFile['expected'],
): Promise<FetchedFile | undefined> => {
  const found = await stored(keyOf(source));
  const cached = found?.deletedAt === undefined ? found : undefined;
  if (cached && isFresh(source, cached)) return { file: cached, cache: 'hit' };
  const { origin } = new URL(source.remoteRepositoryUrl);
  const file = { url: `${origin}/tool`, mediaType: 'application/octet-stream', ...(expected && { expected }) };
  return fetchAt(source, address, cached, file);
};

/** Code and sentence of a refusal; fails when there is none. */
export const refusalOf = async (work: Promise<unknown>): Promise<[code: string, sentence: string]> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return [error.code, error.message];
  throw error ?? new Error('Nothing was refused.');
};

export const contentOf = async (file: PackageFile | undefined): Promise<string | undefined> =>
  file && (await readBlob(new Table(), file.blob))?.toString();

/** Lets so much time pass for the copy that an item holds. */
export const age = async (key: Key<{ readonly copy?: PackageFile['copy'] }>, milliseconds: number): Promise<void> => {
  const { copy } = (await stored(key)) ?? {};
  const checkedAt = (copy?.checkedAt ?? 0) - milliseconds;
  await new Table().writeUnrecorded([{ update: key, set: 'SET #copy.#checkedAt = :at', values: { ':at': checkedAt } }]);
};

/** The event with which a request hands the fetch of a file over, the one that tests download unless it is named. */
export const handedOver = async (
  workspace: Named,
  repository: Named,
  { url }: Pick<Upstream, 'url'>,
  file = address.file,
): Promise<HandedOverFetch> => {
  const found = await stored(repositoryKey(workspace.id, repository.id));
  if (found?.repositoryType !== 'remote') throw new Error('There is no such remote repository.');
  const contentId = contentIdOf(found);
  const key = fileFetchKey({ contentId, name: address.name }, address.version, file);
  const begun = await beginFetch(new Table(), key);
  if (!('fetchId' in begun)) throw new Error('Somebody fetches the file already.');
  const { fetchId } = begun;
  const upstream = { url: `${url}/${file}`, mediaType: 'application/octet-stream' };
  const ids = { workspaceId: workspace.id, repositoryId: repository.id, contentId };
  return { fetchId, ...ids, address: { ...address, file }, upstream };
};

/** Lets the time pass for which a fetch keeps others back whose holder is gone, or that has failed. */
export const endLeaseOf = async (key: Key): Promise<void> => {
  const values = { ':past': Date.now() - 1 };
  await new Table().writeUnrecorded([{ update: key, set: 'SET #until = :past REMOVE #failure', values }]);
};
