import { contract } from '../../shared/http/contract.ts';
import { id, timestamp } from '../../shared/http/fields.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { packageTypes } from '../../shared/packages.ts';

const name = schema({
  type: 'string',
  pattern: '^[a-z0-9-]{1,30}$',
  allowed: '1 to 30 lowercase letters, digits and hyphens',
  examples: ['npm-local'],
});

const packageType = schema({
  type: 'string',
  enum: packageTypes,
  examples: ['npm'],
});

const common = {
  id,
  name,
  packageType,
  status: schema({ type: 'string', enum: ['active'] }),
  workspaceId: id,
  createdAt: timestamp,
  createdBy: schema({
    ...id,
    description: 'The ID of the user who created it.',
  }),
} as const;

export const localRepositoryRecord = object({
  ...common,
  repositoryType: schema({ type: 'string', enum: ['local'] }),
});

export const createLocalRepository = contract({
  id: 'repositories/create-local-repository',
  method: 'POST',
  path: '/1/workspaces/{workspace}/repositories/local',
  summary: 'Create a local repository',
  access: 'workspace-admin',
  body: object({ name, packageType }),
  success: 201,
  result: localRepositoryRecord,
  location: '/1/workspaces/{workspaceId}/repositories/{id}',
  errors: ['WORKSPACE_NOT_FOUND', 'REPOSITORY_NAME_TAKEN'],
  table: ['PutItem', 'UpdateItem'],
});
