import { config } from '../../config.ts';
import { ApiError } from '../../errors.ts';
import { invokeAsynchronously } from '../../invocation.ts';
import { log } from '../../observability/log.ts';
import { receivedMarks } from '../../request-chain.ts';
import type { Table } from '../../table/client.ts';
import type { Key } from '../../table/keys.ts';
import {
  beginFetch,
  endFetch,
  keepFetch,
  type StagedAnswer,
  type UpstreamFetch,
} from '../../table/packages/upstream-fetches.ts';
import { takeWorkerSlot } from '../../table/packages/worker-slots.ts';
import { contentIdOf, type RemoteRepository } from '../../table/repositories/repositories.ts';
import { UpstreamError } from '../../upstream/upstream-error.ts';
import type { FileAddress } from '../sources/resolution.ts';
import type { UpstreamFile } from '../upstream/upstream-body.ts';
import type { Question } from '../upstream/upstream-request.ts';

/** What the worker is to fetch: a file, or a document that the request knows how to read. */
export type LeftToFetch =
  | { readonly address: FileAddress; readonly upstream: UpstreamFile; readonly isLost?: boolean }
  | ({ readonly name: string; readonly document: string } & Pick<Question, 'url' | 'otherwise' | 'accept'>);

/** The event of the worker: the fetch that it takes over. */
export type HandedOverFetch = LeftToFetch & {
  readonly fetchId: string;
  readonly workspaceId: string;
  readonly repositoryId: string;
  readonly contentId: string;
  /** Its slot among the fetches of the workspace; events of earlier releases have none. */
  readonly slot?: number;
  /** The marks of the services that the request has come through; events of earlier releases have none. */
  readonly marks?: readonly string[];
};

/** The lease under which something is fetched. */
export interface LeasedFetch {
  readonly table: Table;
  readonly source: RemoteRepository;
  readonly leaseKey: Key<UpstreamFetch>;
}

/**
 * The answer; undefined if it takes longer than the request, so that the worker is to go on. Throws FILE_PENDING if the fetch only
 * waited for a connection that others used: a slot of the worker would be taken for what nobody has asked for.
 */
export const unlessLate = async <T>(ask: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.kind !== 'aborted') throw error;
    if (error.lateness === 'queued') throw new ApiError('FILE_PENDING');
    return undefined;
  }
};

/**
 * Ends the lease, with what the fetch left: a staged answer or an error. The next request begins what is only pending. Best effort:
 * the lease also ends by itself.
 */
export const concluded = async (
  { table, leaseKey }: Pick<LeasedFetch, 'table' | 'leaseKey'>,
  fetchId: string,
  { staged, error }: { readonly staged?: StagedAnswer; readonly error?: unknown } = {},
): Promise<void> => {
  const { code, message: detail, retryAt } = error instanceof ApiError ? error : new ApiError('SERVICE_UNAVAILABLE');
  const hasFailed = error !== undefined && code !== 'FILE_PENDING';
  const failure = !hasFailed ? undefined : { code, detail, ...(retryAt !== undefined && { retryAt }) };
  try {
    await endFetch(table, leaseKey, fetchId, { ...(failure && { failure }), ...(staged && { staged }) });
  } catch (cause) {
    log.bestEffortFailure(cause);
  }
};

const busy =
  'This workspace already fetches five files or documents that are large or slow. Try again when Retry-After says.';

/** Lets the worker go on with a fetch under a lease. Throws UPSTREAM_BUSY if too many of the workspace go on already. */
export const handOver = async (
  { table, source, leaseKey }: LeasedFetch,
  fetchId: string,
  left: LeftToFetch,
): Promise<void> => {
  const { workspaceId, repositoryId } = source;
  const slot = await takeWorkerSlot(table, workspaceId, fetchId);
  if (slot === undefined) throw new ApiError('UPSTREAM_BUSY', busy);
  await keepFetch(table, leaseKey, fetchId);
  const ids = { fetchId, workspaceId, repositoryId, contentId: contentIdOf(source) };
  const event: HandedOverFetch = { ...ids, slot, marks: receivedMarks(), ...left };
  await invokeAsynchronously(config.fetcherFunction, event, table.signal);
};

/**
 * Lets the worker fetch, unless another fetch of the same is running. If that fails, the request is pending all the same, so that the
 * client comes again.
 */
export const beginInWorker = async (fetch: LeasedFetch, left: LeftToFetch): Promise<void> => {
  const begun = await beginFetch(fetch.table, fetch.leaseKey);
  if (!('fetchId' in begun)) return;
  try {
    await handOver(fetch, begun.fetchId, left);
  } catch (error) {
    log.bestEffortFailure(error);
    await concluded(fetch, begun.fetchId, { error });
    throw new ApiError('FILE_PENDING');
  }
};
