import type { Table } from '../client.ts';
import { heldBy, type Key } from '../keys.ts';
import { pauseExpiryAt, type UpstreamPause } from './upstream-copies.ts';

/** How many questions of a repository may hang. An install opens up to 64 connections, and a slow upstream must not fail it. */
export const hangingMax = 80;

/** How many requests of a workspace may wait for upstreams: three slow repositories. An account of AWS runs 1,000 functions at once. */
export const hangingInWorkspaceMax = 3 * hangingMax;

/** What hangs is counted for so long at most: a request ends before, and what a worker fetches has a place of its own. */
export const countedMilliseconds = 25_000;

/** After this time without another one, all that was counted has ended, however it ended. */
const hangingMilliseconds = 30_000;

/** Whether so many questions hang that no other may be asked. */
export const isCrowded = ({ hanging = 0, hangingUntil = 0 }: Partial<UpstreamPause> = {}): boolean =>
  hanging >= hangingMax && hangingUntil > Date.now();

/** Counts one more that hangs. Returns false if there are `max` already. */
export const beginHanging = async (table: Table, key: Key<UpstreamPause>, max: number): Promise<boolean> => {
  const now = Date.now();
  const times = { ':now': now, ':until': now + hangingMilliseconds, ':expiresAt': pauseExpiryAt(now) };
  for (;;) {
    const counted = await table.update({
      update: key,
      set: 'SET #hanging = #hanging + :one, #hangingUntil = :until, #expiresAt = :expiresAt',
      if: '#hangingUntil > :now AND #hanging < :max',
      values: { ...times, ':one': 1, ':max': max },
    });
    if ('before' in counted) return true;
    if ((heldBy(key, counted.refused)?.hangingUntil ?? 0) > now) return false;
    const begun = await table.update({
      update: key,
      set: 'SET #hanging = :one, #hangingUntil = :until, #until = if_not_exists(#until, :zero), #expiresAt = :expiresAt',
      if: 'attribute_not_exists(#hangingUntil) OR #hangingUntil <= :now',
      values: { ...times, ':one': 1, ':zero': 0 },
    });
    if ('before' in begun) return true;
  }
};

/** Ends what `beginHanging` has counted. */
export const endHanging = async (table: Table, key: Key<UpstreamPause>): Promise<void> => {
  await table.update({
    update: key,
    set: 'SET #hanging = #hanging - :one',
    if: '#hanging > :zero',
    values: { ':one': 1, ':zero': 0 },
  });
};
