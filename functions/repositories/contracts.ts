import { contract } from '../../shared/http/contract.ts';
import { id, nullable, pageParameters, timestamp } from '../../shared/http/fields.ts';
import { array, object, schema } from '../../shared/http/schema.ts';
import { packageTypes, repositoryTypes } from '../../shared/packages.ts';

const name = schema({
  type: 'string',
  pattern: '^[a-z0-9-]{1,30}$',
  allowed: '1 to 30 lowercase letters, digits and hyphens',
  description: 'Unique in the workspace; never changes.',
  examples: ['npm-local'],
});

const packageType = schema({ type: 'string', enum: packageTypes, examples: ['npm'] });

const childRepositoryIds = schema({
  type: 'array',
  items: { type: 'string', maxLength: 100, allowed: 'the ID of a repository' },
  minItems: 1,
  maxItems: 90,
  allowed: 'an array of 1 to 90 IDs of repositories of this workspace',
  description: 'In the order of resolution. Each is a repository of this workspace with the same package type.',
  examples: [['0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11']],
});

const uploadLocalRepositoryId = schema({
  type: 'string',
  maxLength: 100,
  allowed: 'the ID of a local repository that childRepositoryIds lists',
  description: 'The local repository that receives uploads; childRepositoryIds must list it.',
  examples: ['0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11'],
});

const upstream = {
  remoteRepositoryUrl: schema({
    type: 'string',
    format: 'uri',
    minLength: 1,
    maxLength: 2048,
    allowed: 'an absolute http or https URL of at most 2048 characters',
    description: 'For package type universal its path must hold {package-name}, {version} and {file}.',
    examples: ['https://registry.npmjs.org/'],
  }),
  remoteRepositoryUsername: schema({
    type: 'string',
    maxLength: 1024,
    description: 'Empty means none.',
    examples: ['ci'],
  }),
  remoteRepositoryPassword: schema({
    type: 'string',
    format: 'password',
    maxLength: 1024,
    writeOnly: true,
    description: 'Empty means none. Stored encrypted; never told again.',
    examples: ['an upstream password'],
  }),
  isRemoteCacheEnabled: schema({ type: 'boolean', examples: [true] }),
} as const;

const revalidation = schema({
  type: ['integer', 'null'],
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  allowed: 'a whole number of milliseconds from 0 to 9007199254740991, or null: cache indefinitely',
  description: 'Milliseconds until what is cached must be revalidated; null or absent: cached indefinitely.',
  examples: [3_600_000],
});

const caching = {
  fileCacheTimeTillRevalidation: revalidation,
  metadataCacheTimeTillRevalidation: revalidation,
} as const;

const common = {
  id,
  name,
  packageType,
  status: schema({ type: 'string', enum: ['active'] }),
  workspaceId: id,
  createdAt: timestamp,
  createdBy: schema({ ...id, description: 'The ID of the user who created it.' }),
} as const;

const nameOfId = object({ id, name });

const localRecord = object({
  ...common,
  repositoryType: schema({ type: 'string', enum: ['local'] }),
});
export const localRepositoryRecord = { ...localRecord, title: 'LocalRepository' } as const;

const remoteRecord = object({
  ...common,
  name: schema({ ...name, examples: ['npmjs'] }),
  repositoryType: schema({ type: 'string', enum: ['remote'] }),
  remoteRepositoryUrl: upstream.remoteRepositoryUrl,
  remoteRepositoryUsername: nullable(upstream.remoteRepositoryUsername),
  hasRemoteRepositoryPassword: schema({ type: 'boolean', examples: [true] }),
  isRemoteCacheEnabled: upstream.isRemoteCacheEnabled,
  ...caching,
});
export const remoteRepositoryRecord = { ...remoteRecord, title: 'RemoteRepository' } as const;

const virtualRecord = object({
  ...common,
  name: schema({ ...name, examples: ['npm'] }),
  repositoryType: schema({ type: 'string', enum: ['virtual'] }),
  childRepositoryIds: schema({ ...childRepositoryIds, items: id }),
  childRepositories: array(nameOfId),
  uploadLocalRepositoryId: nullable(id),
  uploadTargetLocalRepository: schema({ ...nameOfId, type: ['object', 'null'] }),
});
export const virtualRepositoryRecord = { ...virtualRecord, title: 'VirtualRepository' } as const;

export const repositoryRecord = schema({
  oneOf: [localRepositoryRecord, remoteRepositoryRecord, virtualRepositoryRecord],
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
  errors: ['REPOSITORY_NAME_TAKEN'],
  table: ['PutItem', 'UpdateItem'],
});

export const createRemoteRepository = contract({
  id: 'repositories/create-remote-repository',
  method: 'POST',
  path: '/1/workspaces/{workspace}/repositories/remote',
  summary: 'Create a remote repository',
  description: 'The upstream is not contacted. Hosts that are not public are refused unless the operator allows them.',
  access: 'workspace-admin',
  body: object({ name, packageType, ...upstream, ...caching }, [
    'remoteRepositoryUsername',
    'remoteRepositoryPassword',
    'fileCacheTimeTillRevalidation',
    'metadataCacheTimeTillRevalidation',
  ]),
  example: {
    name: 'npmjs',
    packageType: 'npm',
    remoteRepositoryUrl: 'https://registry.npmjs.org/',
    isRemoteCacheEnabled: true,
    metadataCacheTimeTillRevalidation: 300_000,
  },
  success: 201,
  result: remoteRepositoryRecord,
  location: '/1/workspaces/{workspaceId}/repositories/{id}',
  errors: ['REPOSITORY_NAME_TAKEN'],
  table: ['PutItem', 'UpdateItem'],
  encrypts: true,
});

export const createVirtualRepository = contract({
  id: 'repositories/create-virtual-repository',
  method: 'POST',
  path: '/1/workspaces/{workspace}/repositories/virtual',
  summary: 'Create a virtual repository',
  access: 'workspace-admin',
  body: object(
    {
      name,
      packageType,
      childRepositoryIds,
      uploadLocalRepositoryId,
    },
    ['uploadLocalRepositoryId'],
  ),
  example: {
    name: 'npm',
    packageType: 'npm',
    childRepositoryIds: childRepositoryIds.examples[0],
    uploadLocalRepositoryId: uploadLocalRepositoryId.examples[0],
  },
  success: 201,
  result: virtualRepositoryRecord,
  location: '/1/workspaces/{workspaceId}/repositories/{id}',
  errors: ['REPOSITORY_NAME_TAKEN'],
  table: ['PutItem', 'UpdateItem'],
});

export const getRepository = contract({
  id: 'repositories/get-repository',
  method: 'GET',
  path: '/1/workspaces/{workspace}/repositories/{repository}',
  summary: 'Get a repository',
  access: 'repository-viewer',
  success: 200,
  result: repositoryRecord,
  errors: [],
  table: [],
});

export const listRepositories = contract({
  id: 'repositories/list-repositories',
  method: 'GET',
  path: '/1/workspaces/{workspace}/repositories',
  summary: 'List the repositories of a workspace',
  description: 'By name. Admins see all, members those on which they hold a permission.',
  access: 'workspace-member',
  query: object(
    {
      packageType,
      repositoryType: schema({ type: 'string', enum: repositoryTypes, examples: ['local'] }),
      ...pageParameters,
    },
    ['packageType', 'repositoryType', 'limit', 'cursor'],
  ),
  success: 200,
  result: array(repositoryRecord),
  paged: true,
  errors: ['LIST_TOO_LONG'],
  table: ['Query'],
});

const immutable = { description: 'Never changes: refused.' } as const;

export const updateRepository = contract({
  id: 'repositories/update-repository',
  method: 'PATCH',
  path: '/1/workspaces/{workspace}/repositories/{repository}',
  summary: 'Change a repository',
  description:
    'A JSON merge patch (RFC 7396) of what can change: of a remote repository the upstream and the caching, of a virtual one what it combines. What is absent stays, null clears. A new URL on another host drops the stored password unless it is sent again.',
  access: 'workspace-admin',
  body: object(
    {
      name: schema({ ...name, ...immutable }),
      packageType: schema({ ...packageType, ...immutable }),
      remoteRepositoryUrl: upstream.remoteRepositoryUrl,
      remoteRepositoryUsername: nullable(upstream.remoteRepositoryUsername),
      remoteRepositoryPassword: nullable(upstream.remoteRepositoryPassword),
      isRemoteCacheEnabled: upstream.isRemoteCacheEnabled,
      ...caching,
      childRepositoryIds,
      uploadLocalRepositoryId: nullable(uploadLocalRepositoryId),
    },
    [
      'name',
      'packageType',
      'remoteRepositoryUrl',
      'remoteRepositoryUsername',
      'remoteRepositoryPassword',
      'isRemoteCacheEnabled',
      'fileCacheTimeTillRevalidation',
      'metadataCacheTimeTillRevalidation',
      'childRepositoryIds',
      'uploadLocalRepositoryId',
    ],
  ),
  example: { isRemoteCacheEnabled: false, fileCacheTimeTillRevalidation: null },
  success: 200,
  result: schema({
    oneOf: [
      localRepositoryRecord,
      object({
        ...remoteRepositoryRecord.properties,
        remoteRepositoryPasswordDropped: schema({
          type: 'boolean',
          description: 'The stored password was dropped, because the URL now names another host.',
          examples: [false],
        }),
      }),
      virtualRepositoryRecord,
    ],
  }),
  errors: [],
  table: ['UpdateItem', 'ConditionCheckItem'],
  encrypts: true,
});

export const deleteRepository = contract({
  id: 'repositories/delete-repository',
  method: 'DELETE',
  path: '/1/workspaces/{workspace}/repositories/{repository}',
  summary: 'Delete a repository',
  description: 'Refused while virtual repositories list it. Every permission on it ends.',
  access: 'workspace-admin',
  success: 200,
  result: object({ repositoryId: id, status: schema({ type: 'string', enum: ['deleted'] }) }),
  errors: ['REPOSITORY_IN_USE'],
  table: ['UpdateItem', 'DeleteItem'],
});
