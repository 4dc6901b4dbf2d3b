import { workspaceRoles } from '../../shared/access.ts';
import { contract } from '../../shared/http/contract.ts';
import { id, nullable, pageParameters, timestamp } from '../../shared/http/fields.ts';
import { object, schema } from '../../shared/http/schema.ts';

const name = schema({
  type: 'string',
  pattern: '^(?=.{1,30}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$',
  allowed: '1 to 30 lowercase letters, digits, dots and hyphens, starting and ending with a letter or digit',
  examples: ['acme'],
});

const comments = schema({ type: 'string', maxLength: 50, examples: ['Builds of the Acme team'] });
const comment = schema({ ...comments, description: 'Another name of `comments`, which existing clients send.' });

const common = {
  id,
  workspaceId: schema({ ...id, description: 'The same as `id`.' }),
  name,
  comments,
  createdAt: timestamp,
} as const;

const amount = (words: string) =>
  schema({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: words, examples: [0] });

const limit = (allowed: string, description: string, example: number) =>
  schema({
    type: ['integer', 'null'],
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    allowed: `${allowed} from 0 to 9007199254740991, or null: no limit`,
    description,
    examples: [example],
  });

const limits = {
  storageLimit: limit(
    'a whole number of bytes',
    'The maximum of stored bytes; null or absent: no limit. Files, the metadata of versions and what was sent to open uploads count. A publish or an upload beyond it is refused with 403 `QUOTA_EXCEEDED`.',
    50_000_000_000,
  ),
  packageLimit: limit(
    'a whole number of packages',
    'The maximum of packages; null or absent: no limit. A publish beyond it is refused with 403 `QUOTA_EXCEEDED`.',
    1000,
  ),
  bandwidthLimit: schema({
    type: ['integer', 'null'],
    enum: [null],
    allowed: 'null, because this service does not limit bandwidth',
    description: 'Only null is accepted: this service does not limit bandwidth.',
    examples: [null],
  }),
} as const;

const record = object({
  ...common,
  repositoryCount: schema({ type: 'integer', minimum: 0, examples: [0] }),
  storageUsageInByte: amount(
    'The stored bytes of the files of all repositories. The limit counts metadata of versions and open uploads, too: the usage of the workspace shows them.',
  ),
  storageLimitInByte: limits.storageLimit,
  packageUsage: amount('The packages of all repositories.'),
  packageLimit: limits.packageLimit,
});
export const workspaceSchema = { ...record, title: 'Workspace' } as const;

const listedRecord = object({
  ...common,
  role: nullable(
    schema({
      type: 'string',
      enum: workspaceRoles,
      description: "The caller's role in the workspace; null for a System Admin who is not a member.",
      examples: ['admin'],
    }),
  ),
});
export const listedWorkspaceSchema = { ...listedRecord, title: 'ListedWorkspace' } as const;

const deletedWorkspaceSchema = {
  ...object({ id, name, workspaceId: id, workspaceName: name }),
  title: 'DeletedWorkspace',
} as const;

export const createWorkspace = contract({
  id: 'workspaces/create-workspace',
  method: 'POST',
  path: '/1/workspaces',
  summary: 'Create a workspace',
  access: 'system-admin',
  request: {
    kind: 'json',
    body: object({ name, comments: nullable(comments), comment: nullable(comment), ...limits }, [
      'comments',
      'comment',
      'storageLimit',
      'packageLimit',
      'bandwidthLimit',
    ]),
    example: { name: 'acme', comments: 'Builds of the Acme team' },
  },
  answer: { kind: 'json', success: 201, result: workspaceSchema, location: '/1/workspaces/{id}' },
  idempotencyKey: 'taken',
  errors: ['WORKSPACE_NAME_TAKEN'],
  table: ['PutItem'],
});

export const listWorkspaces = contract({
  id: 'workspaces/list-workspaces',
  method: 'GET',
  path: '/1/workspaces',
  summary: 'List the workspaces that you can see',
  description:
    'Ordered by name. System Admins see all workspaces, other users the workspaces that they are members of.',
  access: 'user',
  query: object(pageParameters, ['limit', 'cursor']),
  answer: { kind: 'list', items: listedWorkspaceSchema },
  errors: [],
  table: ['Query'],
});

export const getWorkspace = contract({
  id: 'workspaces/get-workspace',
  method: 'GET',
  path: '/1/workspaces/{workspace}',
  summary: 'Get a workspace',
  access: 'workspace-member',
  answer: { kind: 'json', success: 200, result: workspaceSchema },
  errors: [],
  table: [],
});

export const updateWorkspace = contract({
  id: 'workspaces/update-workspace',
  method: 'PATCH',
  path: '/1/workspaces/{workspace}',
  summary: 'Change a workspace',
  description:
    'A JSON merge patch (RFC 7396) of the comments and the limits. An absent field does not change, and null clears it. A limit below the present usage deletes nothing.',
  access: 'system-admin',
  request: {
    kind: 'json',
    body: object({ comments: nullable(comments), comment: nullable(comment), ...limits }, [
      'comments',
      'comment',
      'storageLimit',
      'packageLimit',
      'bandwidthLimit',
    ]),
    immutable: ['name'],
    example: { storageLimit: 50_000_000_000, packageLimit: null },
  },
  answer: { kind: 'json', success: 200, result: workspaceSchema },
  errors: [],
  table: ['PutItem', 'UpdateItem'],
});

export const deleteWorkspace = contract({
  id: 'workspaces/delete-workspace',
  method: 'DELETE',
  path: '/workspace',
  summary: 'Delete the workspace that the body names',
  description:
    'The workspace must not contain repositories. Its memberships and permissions are deleted with it. If the body has both the ID and the name, they must name the same workspace.',
  access: 'system-admin',
  refusal: 'SYSTEM_ADMIN_REQUIRED',
  request: {
    kind: 'json',
    body: object(
      {
        workspaceId: schema({ ...id, format: 'uuid', description: 'Required if workspaceName is absent.' }),
        workspaceName: schema({
          type: 'string',
          description: 'Required if workspaceId is absent.',
          examples: ['acme'],
        }),
      },
      ['workspaceId', 'workspaceName'],
    ),
    example: { workspaceName: 'acme' },
  },
  answer: { kind: 'json', success: 200, result: deletedWorkspaceSchema },
  errors: ['WORKSPACE_NOT_FOUND', 'WORKSPACE_NOT_EMPTY'],
  table: ['PutItem', 'DeleteItem'],
});

export const deleteWorkspaceByReference = contract({
  id: 'workspaces/delete-workspace-by-reference',
  method: 'DELETE',
  path: '/1/workspaces/{workspace}',
  summary: 'Delete a workspace',
  description: 'The workspace must not contain repositories. Its memberships and permissions are deleted with it.',
  access: 'system-admin',
  refusal: 'SYSTEM_ADMIN_REQUIRED',
  answer: { kind: 'json', success: 200, result: deletedWorkspaceSchema },
  errors: ['WORKSPACE_NOT_EMPTY'],
  table: ['PutItem', 'DeleteItem'],
});
