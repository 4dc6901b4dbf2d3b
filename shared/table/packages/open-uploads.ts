import { randomInt } from 'node:crypto';
import type { Actor } from '../../auth/actor.ts';
import { ApiError } from '../../errors.ts';
import type { Table } from '../client.ts';
import { actorUploadsList, type Key, keyIn, openUploadKey, openUploadsList } from '../keys.ts';
import { queryAll, queryPages } from '../query-pages.ts';
import { untilSettled } from '../races.ts';
import type { Positioned } from '../reading-table.ts';
import type { Refusal, Remove, Update, Write } from '../writes.ts';

/** An upload that a client has begun. Its bytes count towards the storage limit until it ends. */
export interface OpenUpload {
  readonly uploadId: string;
  readonly bytes: number;
  /** Who announced a session, and for which repository; absent for images, and if an earlier release began it. */
  readonly session?: { readonly actor: Actor; readonly repositoryId: string };
  /** In seconds. DynamoDB removes the item some time later. */
  readonly expiresAt: number;
}

/** The kinds of uploads, and how many an actor may have open in a workspace. An image has many layers, and a push that is killed leaves its own. */
const slotsMax = { session: 100, image: 1_000 } as const;

/** A kind of uploads. */
export type UploadKind = keyof typeof slotsMax;

/** Who has begun an upload, and where. */
export interface UploadOwner {
  readonly workspaceId: string;
  readonly actorId: string;
  readonly kind: UploadKind;
}

/**
 * The slot of an open upload: an actor has a number of them, which no request can exceed however many come at once, and which no
 * two uploads share, so that those that are begun in parallel rarely meet.
 */
type Slot = number;

/** How long the store keeps what was sent, and so the longest that an upload can be open: two days. */
const lifetimeSeconds = 2 * 24 * 60 * 60;

const nowInSeconds = (): number => Math.floor(Date.now() / 1000);

const keyOf = ({ workspaceId, actorId, kind }: UploadOwner, slot: Slot): Key<OpenUpload> =>
  openUploadKey(workspaceId, actorId, kind, slot);

const isOpen = ({ expiresAt }: OpenUpload): boolean => expiresAt > nowInSeconds();

/** How many uploads a refusal names. */
const namedMax = 3;

const tooMany = (kind: UploadKind, open: readonly OpenUpload[]): ApiError => {
  const oldest = open.toSorted((one, other) => one.expiresAt - other.expiresAt).slice(0, namedMax);
  const names = oldest.map(({ uploadId }) => uploadId).join(', ');
  const end = new Date((oldest[0]?.expiresAt ?? 0) * 1000).toISOString();
  return new ApiError(
    'QUOTA_EXCEEDED',
    `You have ${open.length} open uploads in this workspace, and may have ${slotsMax[kind]}. Complete those that you have begun, the oldest first: ${names}; or delete them. An upload that nobody completes ends by itself, the next one at ${end}.`,
  );
};

/** A slot that is free now. Throws QUOTA_EXCEEDED if there is none. */
const freeSlot = async (table: Table, { workspaceId, actorId, kind }: UploadOwner): Promise<Slot> => {
  const { items } = await table.query(actorUploadsList(workspaceId, actorId, kind));
  const open = items.filter(({ item }) => isOpen(item));
  const taken = new Set(open.map(({ position }) => Number(position)));
  const free = Array.from({ length: slotsMax[kind] }, (_, slot) => slot).filter((slot) => !taken.has(slot));
  const slot = free[randomInt(Math.max(free.length, 1))];
  if (slot !== undefined) return slot;
  throw tooMany(
    kind,
    open.map(({ item }) => item),
  );
};

/**
 * Begins an upload in a slot of its actor, in one transaction with what `writesIn` returns. The first slot is tried without
 * a look, because most are free. Returns the slot, or the refusal of those other writes. Throws QUOTA_EXCEEDED if no slot is free.
 */
export const beginInSlot = async (
  table: Table,
  owner: UploadOwner,
  upload: Omit<OpenUpload, 'expiresAt'>,
  writesIn: (slot: Slot) => readonly Write[],
): Promise<{ readonly slot: Slot } | { readonly refusal: Refusal }> => {
  let slot = randomInt(slotsMax[owner.kind]);
  return untilSettled(table, async () => {
    const now = nowInSeconds();
    const taken: Write = {
      put: { ...keyOf(owner, slot), ...upload, expiresAt: now + lifetimeSeconds },
      if: 'attribute_not_exists(pk) OR #expiresAt <= :now',
      values: { ':now': now },
    };
    const refusal = await table.writeUnrecorded([taken, ...writesIn(slot)]);
    if (!refusal) return { slot };
    if (!refusal[0]) return { refusal: refusal.slice(1) };
    slot = await freeSlot(table, owner);
    return undefined;
  });
};

/** Notes how many bytes of an upload have come, in the transaction that continues it. */
export const uploadGrown = (
  owner: UploadOwner,
  slot: Slot,
  { uploadId, bytes }: Pick<OpenUpload, 'uploadId' | 'bytes'>,
): Update => ({
  update: keyOf(owner, slot),
  set: 'SET #bytes = :bytes',
  if: '#uploadId = :uploadId',
  values: { ':bytes': bytes, ':uploadId': uploadId },
});

/** Frees the slot of an upload, in the transaction that ends it. DynamoDB may have removed the item. */
export const uploadEnded = (owner: UploadOwner, slot: Slot, uploadId: string): Remove => ({
  remove: keyOf(owner, slot),
  if: 'attribute_not_exists(pk) OR #uploadId = :uploadId',
  values: { ':uploadId': uploadId },
});

/** The bytes of all open uploads of a workspace, except one. */
export const openUploadBytes = async (table: Table, workspaceId: string, except?: string): Promise<number> => {
  let sum = 0;
  for await (const items of queryPages(table, openUploadsList(workspaceId)))
    for (const { item } of items) if (isOpen(item) && item.uploadId !== except) sum += item.bytes;
  return sum;
};

/** A session that counts towards the storage limit, and where it stands. */
export interface OpenSession extends OpenUpload {
  readonly owner: UploadOwner;
  readonly slot: Slot;
  /** In seconds. */
  readonly beganAt: number;
}

/** The sessions of a workspace, or of one actor in it, that count towards the storage limit: longer than they can be completed. */
export const openSessions = async (
  table: Table,
  workspaceId: string,
  only?: string,
): Promise<readonly Positioned<OpenSession>[]> => {
  const list = only === undefined ? openUploadsList(workspaceId) : actorUploadsList(workspaceId, only, 'session');
  return (await queryAll(table, list)).flatMap(({ position, item }) => {
    const [actorId = '', kind, slot] = keyIn(list, position).sk.split('#');
    if (kind !== 'session' || !isOpen(item)) return [];
    const owner = { workspaceId, actorId, kind } as const;
    const beganAt = item.expiresAt - lifetimeSeconds;
    return [{ position, item: { ...item, owner, slot: Number(slot), beganAt } }];
  });
};
