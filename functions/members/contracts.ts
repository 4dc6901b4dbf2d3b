import { workspaceRoles } from '../../shared/access.ts';
import { contract } from '../../shared/http/contract.ts';
import { deleted, id, level, nullable, pageParameters, repositoryLevel } from '../../shared/http/fields.ts';
import { array, object, schema } from '../../shared/http/schema.ts';
import { batchRepositoriesMax } from '../../shared/limits.ts';

const role = schema({ type: 'string', enum: workspaceRoles, examples: ['member'] });
const repositoryName = schema({ type: 'string', examples: ['npm-local'] });
const username = schema({ type: 'string', examples: ['ci-bot'] });

const uuid = schema({
  ...id,
  pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
  allowed: 'the ID of a user: a UUID',
});
const userId = schema({ type: 'string', maxLength: 100, allowed: 'the ID of a user', examples: id.examples });

export const addRepositoryMember = contract({
  id: 'members/add-repository-member',
  method: 'POST',
  path: '/1/workspaces/{workspace}/repositories/{repository}/members',
  summary: 'Grant a user a permission level on a repository',
  description:
    'A user has one level on a repository: another request replaces it. The user must be a member of the workspace, but not an admin of it: admins have every permission already.',
  access: 'workspace-admin',
  request: {
    kind: 'json',
    body: object(
      { userId, repositoryPermissionLevel: nullable(schema({ ...level, description: 'The default is canView.' })) },
      ['repositoryPermissionLevel'],
    ),
  },
  answer: {
    kind: 'json',
    success: [200, 201],
    result: object({ workspaceId: id, repositoryId: id, repositoryName, userId: id, repositoryPermissionLevel: level }),
    location: '/1/workspaces/{workspaceId}/repositories/{repositoryId}/members/{userId}',
  },
  errors: ['USER_NOT_FOUND'],
  table: ['PutItem', 'UpdateItem'],
});

export const addMemberToRepositories = contract({
  id: 'members/add-member-to-repositories',
  method: 'POST',
  path: '/1/workspaces/{workspace}/repositories/members/batch',
  summary: 'Grant a user permission levels on several repositories, all or nothing',
  access: 'workspace-admin',
  request: {
    kind: 'json',
    body: object({
      userId: uuid,
      repositories: schema({
        type: 'array',
        items: repositoryLevel,
        minItems: 1,
        maxItems: batchRepositoriesMax,
        description: `Each repository may occur once, by its ID or by its name. The operator may set a maximum below ${batchRepositoriesMax}.`,
      }),
    }),
  },
  answer: {
    kind: 'json',
    success: 200,
    result: object({
      userId: id,
      repositories: array(
        object({
          repositoryId: id,
          repositoryName,
          repositoryPermissionLevel: level,
        }),
      ),
    }),
  },
  errors: ['USER_NOT_FOUND'],
  table: ['PutItem', 'UpdateItem'],
});

export const listRepositoryMembers = contract({
  id: 'members/list-repository-members',
  method: 'GET',
  path: '/1/workspaces/{workspace}/repositories/{repository}/members',
  summary: 'List the members with a permission on a repository',
  description:
    'Ordered by username. Admins of the workspace have every permission and are not listed. Only users are shown it: a workspace token or a token of a trust is refused.',
  access: 'repository-manager',
  isForUsers: true,
  query: object(pageParameters, ['limit', 'cursor']),
  answer: { kind: 'list', items: object({ userId: id, username, repositoryPermissionLevel: level }) },
  errors: [],
  table: ['Query'],
});

export const getRepositoryMember = contract({
  id: 'members/get-repository-member',
  method: 'GET',
  path: '/1/workspaces/{workspace}/repositories/{repository}/members/{user}',
  summary: "Get a member's permission on a repository",
  description: 'Admins of the workspace have every permission without a grant: for them, the answer is 404.',
  access: 'repository-manager',
  isForUsers: true,
  answer: {
    kind: 'json',
    success: 200,
    result: object({
      workspaceId: id,
      repositoryId: id,
      repositoryName,
      userId: id,
      username,
      repositoryPermissionLevel: level,
    }),
  },
  errors: ['MEMBER_NOT_FOUND'],
  table: [],
});

export const removeRepositoryMember = contract({
  id: 'members/remove-repository-member',
  method: 'DELETE',
  path: '/1/workspaces/{workspace}/repositories/{repository}/members/{user}',
  summary: "Remove a member's permission on a repository",
  access: 'workspace-admin',
  answer: { kind: 'json', success: 200, result: object({ repositoryId: id, userId: id, status: deleted }) },
  errors: ['MEMBER_NOT_FOUND'],
  table: ['PutItem', 'UpdateItem'],
});

const memberRecord = object({ workspaceId: id, userId: id, username, role });

export const addWorkspaceMember = contract({
  id: 'members/add-workspace-member',
  method: 'POST',
  path: '/1/workspaces/{workspace}/members',
  summary: 'Add a member to a workspace, or change the role of a member',
  description:
    'When a member becomes an admin, the permissions of the member on single repositories are deleted: admins have every permission.',
  access: 'workspace-admin',
  request: {
    kind: 'json',
    body: object({ userId, role: nullable(schema({ ...role, description: 'The default is member.' })) }, ['role']),
  },
  answer: {
    kind: 'json',
    success: [200, 201],
    result: memberRecord,
    location: '/1/workspaces/{workspaceId}/members/{userId}',
  },
  errors: ['USER_NOT_FOUND'],
  table: ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
});

export const listWorkspaceMembers = contract({
  id: 'members/list-workspace-members',
  method: 'GET',
  path: '/1/workspaces/{workspace}/members',
  summary: 'List the members of a workspace',
  description: 'Ordered by username. Only users are shown it: a workspace token or a token of a trust is refused.',
  access: 'workspace-member',
  isForUsers: true,
  query: object(pageParameters, ['limit', 'cursor']),
  answer: { kind: 'list', items: object({ userId: id, username, role }) },
  errors: [],
  table: ['Query'],
});

export const getWorkspaceMember = contract({
  id: 'members/get-workspace-member',
  method: 'GET',
  path: '/1/workspaces/{workspace}/members/{user}',
  summary: 'Get a member of a workspace',
  access: 'workspace-member',
  isForUsers: true,
  answer: { kind: 'json', success: 200, result: memberRecord },
  errors: ['MEMBER_NOT_FOUND'],
  table: [],
});

export const removeWorkspaceMember = contract({
  id: 'members/remove-workspace-member',
  method: 'DELETE',
  path: '/1/workspaces/{workspace}/members/{user}',
  summary: 'Remove a member from a workspace',
  description: 'All permissions of the member on repositories of the workspace are deleted, too.',
  access: 'workspace-admin',
  answer: { kind: 'json', success: 200, result: object({ workspaceId: id, userId: id, status: deleted }) },
  errors: ['MEMBER_NOT_FOUND'],
  table: ['PutItem', 'UpdateItem', 'DeleteItem'],
});
