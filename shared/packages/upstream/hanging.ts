import { config } from '../../config.ts';
import type { Table } from '../../table/client.ts';
import type { Key } from '../../table/keys.ts';
import {
  beginHanging,
  countedMilliseconds,
  endHanging,
  hangingInWorkspaceMax,
  hangingMax,
} from '../../table/packages/hanging-counts.ts';
import { upstreamPauseKey, workspaceCrowdKey } from '../../table/packages/package-keys.ts';
import type { UpstreamPause } from '../../table/packages/upstream-copies.ts';
import { contentIdOf, type RemoteRepository } from '../../table/repositories/repositories.ts';
import { limitsWithin } from '../../upstream/limits.ts';
import { UpstreamError } from '../../upstream/upstream-error.ts';

/** One of the counts of what hangs: its item, its maximum, and the failure of what goes beyond it. */
interface Count {
  readonly key: Key<UpstreamPause>;
  readonly max: number;
  readonly failure: () => UpstreamError;
}

export const hostOf = ({ remoteRepositoryUrl }: RemoteRepository): string => new URL(remoteRepositoryUrl).host;

const crowded = (source: RemoteRepository, why: string) => (): UpstreamError =>
  new UpstreamError('crowded', { host: hostOf(source) }, why);

export const countOfRepository = (source: RemoteRepository): Count => ({
  key: upstreamPauseKey(contentIdOf(source)),
  max: hangingMax,
  failure: crowded(source, 'has not answered the many requests that wait for it already'),
});

export const countOfWorkspace = (source: RemoteRepository): Count => ({
  key: workspaceCrowdKey(source.workspaceId),
  max: hangingInWorkspaceMax,
  failure: crowded(source, 'is slow, and too many requests of this workspace wait for slow upstreams already'),
});

/** What counts something while it hangs, and ends it if too much does. */
export interface HangingCount {
  readonly crowd: AbortSignal;
  readonly begin: () => void;
  readonly end: () => Promise<void>;
}

export const hangingCount = (table: Table, counts: readonly Count[]): HangingCount => {
  const crowd = new AbortController();
  const taken: Key<UpstreamPause>[] = [];
  let [isOver, taking] = [false, undefined as Promise<void> | undefined];
  const take = async (): Promise<void> => {
    for (const { key, max, failure } of counts) {
      if (!(await beginHanging(table, key, max))) return isOver ? undefined : crowd.abort(failure());
      taken.push(key);
    }
  };
  const leave = async (): Promise<void> => {
    await taking;
    await Promise.all(taken.map(async (key) => endHanging(table, key)));
  };
  const end = async (): Promise<void> => {
    if (isOver) return;
    isOver = true;
    if (taking) await table.sideWork.begin(leave);
  };
  const begin = (): void => {
    if (isOver || taking) return;
    taking = take().catch(() => {});
    setTimeout(() => void end(), countedMilliseconds).unref();
  };
  return { crowd: crowd.signal, begin, end };
};

/**
 * Waits for what another request or the worker fetches of an upstream. It counts among what hangs in the workspace, and ends with an
 * UpstreamError of the kind `crowded` where that is too much.
 */
export const waitInWorkspace = async <T>(
  table: Table,
  source: RemoteRepository,
  wait: (crowd: AbortSignal) => Promise<T>,
): Promise<T> => {
  const { crowd, begin, end } = hangingCount(table, [countOfWorkspace(source)]);
  const hang = setTimeout(begin, limitsWithin(config.upstreamAnswerMilliseconds).hangMilliseconds);
  try {
    return await wait(crowd);
  } catch (error) {
    throw crowd.aborted ? crowd.reason : error;
  } finally {
    clearTimeout(hang);
    await end();
  }
};
