import { environment } from '../../shared/config.ts';
import { ApiError } from '../../shared/errors.ts';
import type { UpstreamFile } from '../../shared/packages/receiving-upstream.ts';
import { type FetchedFile, fetchFile, isFresh } from '../../shared/packages/remote-files.ts';
import { blobObjectKey } from '../../shared/store/keys.ts';
import { readObject } from '../../shared/store/objects.ts';
import { Table } from '../../shared/table/client.ts';
import { fileKey, type Key, repositoryKey } from '../../shared/table/keys.ts';
import type { PackageFile } from '../../shared/table/packages.ts';
import type { RemoteRepository } from '../../shared/table/repositories.ts';
import { createRemote } from './repositories.ts';
import type { Service } from './service.ts';
import type { Upstream } from './upstream.ts';

/** What lets functions reach the servers of the tests. */
export const reachingLoopback = { [environment.allowedPrivateUpstreams]: '127.0.0.1,localhost' } as const;

/** Lets this process ask upstreams as functions do. */
export const useUpstreams = (service: Service): void => {
  beforeAll(() => {
    Object.assign(process.env, {
      ...reachingLoopback,
      STOCKROOM_VERSION: '0.0.0',
      [environment.upstreamKeyId]: 'key',
      AWS_ENDPOINT_URL_KMS: service.runner.kmsUrl,
    });
  });
};

/** What the table holds under a key. */
export const stored = async <T>(key: Key<T>): Promise<T | undefined> => (await new Table().read([key])).find(key);

/** A remote repository over an upstream, in a workspace of its own, as stored. */
export const remoteOf = async (
  service: Service,
  upstream: Pick<Upstream, 'url'>,
  fields: Parameters<typeof createRemote>[2] = {},
): Promise<RemoteRepository> => {
  const workspace = await service.world.workspace();
  const remoteRepositoryUrl = `${upstream.url}/{package-name}/{version}/{file}`;
  const { id } = await createRemote(service, workspace, { packageType: 'universal', remoteRepositoryUrl, ...fields });
  const found = await stored(repositoryKey(workspace.id, id));
  if (found?.repositoryType !== 'remote') throw new Error('There is no such remote repository.');
  return found;
};

/** The one file that tests download. */
export const address = { name: 'tool', version: '1.0.0', file: 'tool.bin' };

export const refOf = ({ repositoryId }: RemoteRepository) => ({ contentId: repositoryId, name: address.name });
export const keyOf = (source: RemoteRepository): Key<PackageFile> =>
  fileKey(refOf(source), address.version, address.file);

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
  return fetchFile(new Table(), source, address, cached, async () => file);
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
  file && (await readObject(blobObjectKey(file.blob), new Table().signal))?.toString();

/** Lets so much time pass for the copy that an item holds. */
export const age = async (key: Key<{ readonly copy?: PackageFile['copy'] }>, milliseconds: number): Promise<void> => {
  const { copy } = (await stored(key)) ?? {};
  const checkedAt = (copy?.checkedAt ?? 0) - milliseconds;
  await new Table().write([{ update: key, set: 'SET #copy.#checkedAt = :at', values: { ':at': checkedAt } }]);
};

/** Ends the lease on a copy. */
export const endLease = async (key: Key): Promise<void> => {
  await new Table().write([
    { update: key, set: 'SET #copy.#leasedUntil = :past', values: { ':past': Date.now() - 1 } },
  ]);
};
