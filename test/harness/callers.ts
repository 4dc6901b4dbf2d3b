import type { ErrorCode } from '../../shared/errors.ts';

/** The callers of a fixture, by what they may do. */
export const callers = [
  'stranger',
  'adminElsewhere',
  'member',
  'viewer',
  'deployer',
  'manager',
  'workspaceAdmin',
  'systemAdmin',
] as const;

type Expected = `${number}` | `${number} ${ErrorCode}`;

/** The answer to each caller with a valid credential; `unknown` is everyone without one. */
export type Answers = Readonly<Record<(typeof callers)[number] | 'unknown', Expected>>;

const unknown = '401 UNAUTHENTICATED';
const invisible = '404 WORKSPACE_NOT_FOUND';

export const everyUser = (success: Expected): Answers => ({
  unknown,
  stranger: success,
  adminElsewhere: success,
  member: success,
  viewer: success,
  deployer: success,
  manager: success,
  workspaceAdmin: success,
  systemAdmin: success,
});

export const everybody = (success: Expected): Answers => ({ ...everyUser(success), unknown: success });

export const systemAdmins = (success: Expected, refusal: Expected = '403 FORBIDDEN'): Answers => ({
  ...everyUser(refusal),
  systemAdmin: success,
});

/** What a System Admin does to the workspace in the path: who does not see it does not learn that it exists. */
export const systemAdminsIn = (success: Expected): Answers => ({
  ...systemAdmins(success),
  stranger: invisible,
  adminElsewhere: invisible,
});

export const workspaceMembers = (success: Expected): Answers => ({
  ...everyUser(success),
  stranger: invisible,
  adminElsewhere: invisible,
});

export const workspaceAdmins = (success: Expected): Answers => ({
  ...workspaceMembers('403 FORBIDDEN'),
  workspaceAdmin: success,
  systemAdmin: success,
});

const unseen = '404 REPOSITORY_NOT_FOUND';

export const repositoryViewers = (success: Expected): Answers => ({ ...workspaceMembers(success), member: unseen });

export const repositoryDeployers = (success: Expected): Answers => ({
  ...repositoryManagers(success),
  deployer: success,
});

export const repositoryManagers = (success: Expected): Answers => ({
  ...workspaceAdmins(success),
  member: unseen,
  manager: success,
});
