import { contract } from '../../shared/http/contract.ts';
import { id, timestamp } from '../../shared/http/fields.ts';
import { object, schema } from '../../shared/http/schema.ts';

const name = schema({
  type: 'string',
  pattern: '^(?=.{1,30}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$',
  allowed: '1 to 30 lowercase letters, digits, dots and hyphens, starting and ending with a letter or digit',
  examples: ['acme'],
});

const comments = schema({
  type: 'string',
  maxLength: 50,
  examples: ['Builds of the Acme team'],
});

export const workspaceRecord = object({
  id,
  workspaceId: schema({ ...id, description: 'The same as `id`.' }),
  name,
  comments,
  repositoryCount: schema({ type: 'integer', minimum: 0, examples: [0] }),
  createdAt: timestamp,
});

export const createWorkspace = contract({
  id: 'workspaces/create-workspace',
  method: 'POST',
  path: '/1/workspaces',
  summary: 'Create a workspace',
  access: 'system-admin',
  body: object({ name, comments }, ['comments']),
  success: 201,
  result: workspaceRecord,
  location: '/1/workspaces/{id}',
  errors: ['WORKSPACE_NAME_TAKEN'],
  table: ['PutItem'],
});
