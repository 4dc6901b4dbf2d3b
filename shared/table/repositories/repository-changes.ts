import { isDeepStrictEqual } from 'node:util';
import { type Change, difference } from '../changes.ts';
import type { Table } from '../client.ts';
import { repositoryKey } from '../keys.ts';
import type { Check, Update, Write } from '../writes.ts';
import {
  type Child,
  linkChild,
  type RemoteRepository,
  type Repository,
  recordedFields,
  repositoryChange,
  type UpstreamSettings,
  unlinkChild,
  type VirtualRepository,
} from './repositories.ts';

/** The maximum number of actions in a transaction, beside the record of the change. */
const actionsMax = 99;

/** The fields of a virtual repository that can change. */
type VirtualChanges = Pick<VirtualRepository, 'children' | 'uploadLocalRepositoryId' | 'upstreamNames'>;

type Attributes = Readonly<Record<string, unknown>>;
type Identified = Pick<RemoteRepository, 'workspaceId' | 'repositoryId'>;

const prefixed = (attributes: Attributes, prefix: string): Record<`:${string}`, unknown> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[`:${prefix}${name}`, value]])),
  );

const assignments = (attributes: Attributes): string =>
  Object.keys(attributes)
    .map((name) => `#${name} = :new_${name}`)
    .join(', ');

/** Requires that attributes are as they were read. */
const same = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => (value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :old_${name}`))
    .join(' AND ');

/** Sets attributes of a repository if other attributes have not changed since it was read. */
const setting = ({ workspaceId, repositoryId }: Identified, changes: Attributes, unchanged: Attributes): Update => ({
  update: repositoryKey(workspaceId, repositoryId),
  set: `SET ${assignments(changes)}`,
  if: same(unchanged),
  values: { ...prefixed(changes, 'new_'), ...prefixed(unchanged, 'old_') },
});

/** A new password is said, and nothing of it. */
const changeBetween = (from: Repository, to: Repository, isNewPassword = false): Change => {
  const { before, after } = difference(recordedFields(from), recordedFields(to));
  return repositoryChange('repository.changed', to, {
    before,
    after: { ...after, ...(isNewPassword && { passwordChanged: true }) },
  });
};

/** What a remote repository changes: its settings and, if what it has cached is to be left, its content. */
type RemoteChanges = Partial<UpstreamSettings & Pick<RemoteRepository, 'contentId'>>;

/**
 * Changes a remote repository, unless what it changes, its URL or its password changed since it was read. The last two decide
 * where a password goes. With a new content ID, nothing that it has cached is served any more; `left` leaves that to the sweeper.
 */
export const updateRemoteRepository = async (
  table: Table,
  repository: RemoteRepository,
  changes: RemoteChanges,
  left: readonly Write[] = [],
): Promise<RemoteRepository | 'lost the race'> => {
  const names = (Object.keys(changes) as (keyof RemoteChanges)[]).filter(
    (name) => !isDeepStrictEqual(repository[name] ?? null, changes[name] ?? null),
  );
  if (names.length === 0) return repository;
  const { remoteRepositoryUrl, passwordCiphertext } = repository;
  const next = { ...repository, ...changes };
  const isNewPassword = next.passwordCiphertext !== null && next.passwordCiphertext !== passwordCiphertext;
  const of = (from: Attributes): Attributes => Object.fromEntries(names.map((name) => [name, from[name]]));
  const refusal = await table.write(
    [
      setting(repository, of({ ...next }), { ...of({ ...repository }), remoteRepositoryUrl, passwordCiphertext }),
      ...left,
    ],
    changeBetween(repository, next, isNewPassword),
  );
  return refusal ? 'lost the race' : next;
};

/**
 * Changes a virtual repository, unless it, a child or one of `below` (the virtual repositories below it) changed since
 * it was read. So no cycle can form, and no deleted child can be listed.
 */
export const updateVirtualRepository = async (
  table: Table,
  repository: VirtualRepository,
  changes: VirtualChanges,
  below: readonly VirtualRepository[],
): Promise<VirtualRepository | 'lost the race' | 'too much at once'> => {
  const now = { ...repository, ...changes };
  if (isDeepStrictEqual(now, repository)) return repository;
  const added = changes.children.filter((child) => !lists(repository, child));
  const removed = repository.children.filter((child) => !lists(now, child));
  const isKept = (virtual: VirtualRepository) =>
    ![...added, ...removed].some((child) => child.id === virtual.repositoryId);
  const { children, uploadLocalRepositoryId, upstreamNames } = repository;
  const writes: Write[] = [
    setting(repository, { ...changes }, { children, uploadLocalRepositoryId, upstreamNames }),
    ...[...added.map(linkChild(now)), ...removed.map(unlinkChild(repository))].map((write) =>
      alsoUnchanged(write, below),
    ),
    ...below.filter(isKept).map(unchanged),
  ];
  if (writes.length > actionsMax) return 'too much at once';
  return (await table.write(writes, changeBetween(repository, now))) ? 'lost the race' : now;
};

const lists = ({ children }: Pick<VirtualRepository, 'children'>, { id }: Child): boolean =>
  children.some((child) => child.id === id);

const unchanged = ({ workspaceId, repositoryId, children }: VirtualRepository): Check => ({
  check: repositoryKey(workspaceId, repositoryId),
  if: same({ children }),
  values: prefixed({ children }, 'old_'),
});

/**
 * A child that is itself virtual gets both conditions in one action, because a transaction may contain an item only
 * once.
 */
const alsoUnchanged = (write: Update, below: readonly VirtualRepository[]): Update => {
  const virtual = below.find((each) => repositoryKey(each.workspaceId, each.repositoryId).sk === write.update.sk);
  if (!virtual) return write;
  const check = unchanged(virtual);
  return { ...write, if: `${write.if} AND ${check.if}`, values: { ...write.values, ...check.values } };
};
