import fc from 'fast-check';
import { permissionLevels, workspaceRoles } from '../../shared/access.ts';
import type { Action, Who } from './model.ts';

/** So few of each that sequences meet the same ones again. */
export const workspaces = [0, 1] as const;
export const repositories = [0, 1] as const;
export const users = [0, 1, 2] as const;

const workspace = fc.constantFrom(...workspaces);
const repository = fc.constantFrom(...repositories);
const user = fc.constantFrom(...users);
const level = fc.constantFrom(...permissionLevels);
const role = fc.constantFrom(...workspaceRoles);
/** Mostly the system admin, so that most steps change something. */
const by = fc.oneof({ arbitrary: fc.constant<Who>('root'), weight: 3 }, { arbitrary: user, weight: 2 });

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

/** Steps in any order; every sequence is a legal one, so that a failing one shrinks to its core. */
export const sequences: fc.Arbitrary<Action[]> = fc.array(action, { minLength: 6, maxLength: 14, size: 'max' });

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
