import fc from 'fast-check';
import { permissionLevels, workspaceRoles } from '../../shared/access.ts';
import type { Action, Who } from './model.ts';

/** So few of each that sequences meet the same ones again. */
export const workspaces = [0, 1] as const;
export const repositories = [0, 1] as const;
export const users = [0, 1, 2] as const;

/** Most steps are about the first of them, so that steps meet. */
const mostly = <T>(first: T, ...others: readonly T[]) =>
  fc.oneof({ arbitrary: fc.constant(first), weight: 3 }, { arbitrary: fc.constantFrom(...others), weight: 2 });

const workspace = mostly<number>(0, 1);
const repository = mostly<number>(0, 1);
const user = mostly<number>(1, 0, 2);
const level = fc.constantFrom(...permissionLevels);
const role = fc.constantFrom(...workspaceRoles);
const by = mostly<Who>('root', ...users);

const kind = <const K extends Action['kind']>(name: K) => fc.constant(name);
const onRepository = { by, workspace, repository };

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: kind('create workspace'), workspace }),
  fc.record({ kind: kind('delete workspace'), workspace }),
  fc.record({ kind: kind('set member'), by, workspace, user, role }),
  fc.record({ kind: kind('remove member'), by, workspace, user }),
  fc.record({ kind: kind('create repository'), ...onRepository }),
  fc.record({ kind: kind('delete repository'), ...onRepository }),
  fc.record({ kind: kind('grant'), ...onRepository, user, level }),
  fc.record({ kind: kind('remove grant'), ...onRepository, user }),
  fc.record({
    kind: kind('grant batch'),
    by,
    workspace,
    user,
    repositories: fc.array(fc.record({ repository, level }), { minLength: 1, maxLength: 2 }),
  }),
);

const root = { by: 'root' } as const;

/** Ends something and makes it again under the same name: what chance alone would seldom bring together. */
const again: fc.Arbitrary<Action[]> = fc.oneof(
  fc.record({ workspace, user, role }).map(({ role: next, ...member }): Action[] => [
    { kind: 'remove member', ...root, ...member },
    { kind: 'set member', ...root, ...member, role: next },
  ]),
  fc.record({ workspace, user }).map((member): Action[] => [
    { kind: 'set member', ...root, ...member, role: 'admin' },
    { kind: 'set member', ...root, ...member, role: 'member' },
  ]),
  fc.record({ workspace, repository }).map((target): Action[] => [
    { kind: 'delete repository', ...root, ...target },
    { kind: 'create repository', ...root, ...target },
  ]),
  fc.tuple(workspace, user).map(([at, who]): Action[] => [
    { kind: 'delete repository', by: 'root', workspace: at, repository: 0 },
    { kind: 'delete repository', by: 'root', workspace: at, repository: 1 },
    { kind: 'delete workspace', workspace: at },
    { kind: 'create workspace', workspace: at },
    { kind: 'create repository', by: 'root', workspace: at, repository: 0 },
    { kind: 'set member', by: 'root', workspace: at, user: who, role: 'member' },
  ]),
);

/** Steps in any order; every sequence is a legal one, so that a failing one shrinks to its core. */
export const sequences: fc.Arbitrary<Action[]> = fc
  .array(fc.oneof({ arbitrary: action.map((each) => [each]), weight: 2 }, { arbitrary: again, weight: 1 }), {
    minLength: 4,
    maxLength: 9,
    size: 'max',
  })
  .map((parts) => parts.flat());

/** Where each sequence begins: two workspaces, each with something to lose. */
export const beginning: readonly Action[] = [
  { kind: 'create workspace', workspace: 0 },
  { kind: 'create workspace', workspace: 1 },
  { kind: 'set member', by: 'root', workspace: 0, user: 0, role: 'admin' },
  { kind: 'set member', by: 'root', workspace: 0, user: 1, role: 'member' },
  { kind: 'set member', by: 'root', workspace: 1, user: 1, role: 'member' },
  { kind: 'create repository', by: 'root', workspace: 0, repository: 0 },
  { kind: 'create repository', by: 'root', workspace: 1, repository: 0 },
  { kind: 'grant', by: 'root', workspace: 0, repository: 0, user: 1, level: 'canManage' },
  { kind: 'grant', by: 'root', workspace: 1, repository: 0, user: 1, level: 'canView' },
];
