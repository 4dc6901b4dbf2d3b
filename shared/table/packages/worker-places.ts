import type { Table } from '../client.ts';
import { workerPlaceKey } from './package-keys.ts';

/** How many fetches of one workspace may go on after their requests. The others are left to the other workspaces. */
const placesMax = 5;

/** As long as the lease of a worker, which renews both. */
const placeMilliseconds = 60_000;

const places = Array.from({ length: placesMax }, (_, place) => place);

const times = () => {
  const until = Date.now() + placeMilliseconds;
  return { ':until': until, ':expiresAt': Math.ceil(until / 1000) };
};

/** Takes a place for a fetch of a workspace; undefined if all are taken. */
export const takeWorkerPlace = async (
  table: Table,
  workspaceId: string,
  fetchId: string,
): Promise<number | undefined> => {
  const now = Date.now();
  const keys = places.map((place) => workerPlaceKey(workspaceId, place));
  const loaded = await table.read(keys);
  for (const [place, key] of keys.entries()) {
    if ((loaded.find(key)?.until ?? 0) > now) continue;
    const answer = await table.update({
      update: key,
      set: 'SET #fetchId = :fetchId, #until = :until, #expiresAt = :expiresAt',
      if: 'attribute_not_exists(#until) OR #until <= :now',
      values: { ':fetchId': fetchId, ':now': now, ...times() },
    });
    if ('before' in answer) return place;
  }
  return undefined;
};

/** What says whose a place is. */
export interface HeldPlace {
  readonly workspaceId: string;
  readonly place: number;
  readonly fetchId: string;
}

/** Keeps a place for as long as a lease. */
export const keepWorkerPlace = async (table: Table, { workspaceId, place, fetchId }: HeldPlace): Promise<void> => {
  await table.update({
    update: workerPlaceKey(workspaceId, place),
    set: 'SET #until = :until, #expiresAt = :expiresAt',
    if: '#fetchId = :fetchId',
    values: { ':fetchId': fetchId, ...times() },
  });
};

/** Gives a place back. */
export const leaveWorkerPlace = async (table: Table, { workspaceId, place, fetchId }: HeldPlace): Promise<void> => {
  await table.update({
    update: workerPlaceKey(workspaceId, place),
    set: 'SET #until = :zero',
    if: '#fetchId = :fetchId',
    values: { ':fetchId': fetchId, ':zero': 0 },
  });
};
