import type { Actor } from '../auth/actor.ts';
import type { Action } from '../change-actions.ts';
import { recordKey } from './keys.ts';
import { insertion, type Write } from './writes.ts';

/** Fields of what changed, as its endpoints name them; never a secret. */
export type Fields = Readonly<Record<string, unknown>>;

/** What a change does, as the entity that changes says it. */
export interface Change {
  readonly action: Action;
  /** Null if it concerns no workspace. */
  readonly workspaceId: string | null;
  /** Set if it concerns one repository. */
  readonly repository?: { readonly repositoryId: string; readonly name: string };
  /** What changes. A package has no ID. */
  readonly target: { readonly id?: string; readonly name: string };
  /** The IDs of what else it concerns. */
  readonly alsoConcerns?: readonly string[];
  /** The fields that change, as they were; null if there was nothing, or if nobody has read it. */
  readonly before: Fields | null;
  readonly after: Fields | null;
}

/** Who makes the changes of a request, and how. */
export interface ChangeAuthor {
  readonly actor: Actor;
  readonly sourceAddress: string;
  readonly requestId: string;
  /** The ID of the endpoint. */
  readonly operation: string;
}

/** The author of what no request asked for: the first System Admin, and the user who checks releases. */
export const serviceAuthor: ChangeAuthor = {
  actor: { kind: 'service', id: 'stockroom', name: 'stockroom', tokenId: null },
  sourceAddress: '',
  requestId: '',
  operation: '',
};

/**
 * A record as stored. Its ID is the write ID of its transaction. Every attribute is there, because the events are made of
 * them without code: a text is empty where there is nothing, and what differs between actions is JSON.
 */
export interface ChangeRecord extends ChangeAuthor {
  readonly recordId: string;
  readonly actor: Actor & { readonly tokenId: string };
  readonly recordedAt: string;
  readonly action: Action;
  readonly workspaceId: string;
  readonly repositoryId: string;
  readonly repositoryName: string;
  readonly target: { readonly id: string; readonly name: string };
  /** The IDs of what changes and of the repositories that it concerns. */
  readonly concerns: ReadonlySet<string>;
  /** JSON. */
  readonly before: string;
  readonly after: string;
  /** The partition in the index of all records. */
  readonly recordShard: string;
  /** In seconds. */
  readonly expiresAt: number;
}

/** The number of partitions in the index of all records. */
export const recordShards = 4;

const daySeconds = 86_400;

/** What the sort keys of records subtract a time from, in milliseconds: the newest record then comes first. */
const timeMax = 9_999_999_999_999;

/** The beginning of the position of all records of this time, in milliseconds. */
export const positionAt = (time: number): string => String(timeMax - time).padStart(13, '0');

let latest = 0;

/** The time now, and never the same twice: changes of one process are then in order. */
const nextTime = (): number => {
  latest = Math.max(Date.now(), latest + 1);
  return latest;
};

/** The record of a change. */
export const recordOf = (
  { workspaceId, repository, target, alsoConcerns = [], action, before, after }: Change,
  { actor, sourceAddress, requestId, operation }: ChangeAuthor,
  retentionDays: number,
  writeId: string,
): ChangeRecord => {
  const time = nextTime();
  const ids = [target.id, repository?.repositoryId, ...alsoConcerns];
  return {
    recordId: writeId,
    recordedAt: new Date(time).toISOString(),
    actor: { ...actor, tokenId: actor.tokenId ?? '' },
    sourceAddress,
    requestId,
    operation,
    action,
    workspaceId: workspaceId ?? '',
    repositoryId: repository?.repositoryId ?? '',
    repositoryName: repository?.name ?? '',
    target: { id: target.id ?? '', name: target.name },
    concerns: new Set(ids.filter((id) => id !== undefined)),
    before: JSON.stringify(before),
    after: JSON.stringify(after),
    recordShard: String(Number.parseInt(writeId.slice(0, 2), 16) % recordShards),
    expiresAt: Math.floor(time / 1000) + retentionDays * daySeconds,
  };
};

/** The write that keeps a record, for the transaction of its change. */
export const recordInsertion = (record: ChangeRecord): Write => {
  const { recordId, workspaceId, recordedAt } = record;
  return insertion(recordKey(workspaceId, `${positionAt(Date.parse(recordedAt))}#${recordId}`), record);
};

/** The fields that differ, as they were and as they are. */
export const difference = (before: Fields, after: Fields): { readonly before: Fields; readonly after: Fields } => {
  const names = Object.keys({ ...before, ...after }).filter(
    (name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null),
  );
  const of = (fields: Fields): Fields => Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
  return { before: of(before), after: of(after) };
};
