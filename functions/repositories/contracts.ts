import { contract } from '../../shared/http/contract.ts';
import { deleted, id, level, pageParameters } from '../../shared/http/fields.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { repositoryTypes } from '../../shared/package-types.ts';
import { gateSettings, newGateSettings } from './gate-settings.ts';
import {
  createdRemoteRepositorySchema,
  listing,
  localRepositorySchema,
  name,
  nameRules,
  packageType,
  remoteRepositorySchema,
  repositorySchema,
  upstream,
  virtualRepositorySchema,
} from './schemas.ts';

export const createLocalRepository = contract({
  id: 'repositories/create-local-repository',
  method: 'POST',
  path: '/1/workspaces/{workspace}/repositories/local',
  summary: 'Create a local repository',
  access: 'workspace-admin',
  request: { kind: 'json', body: object({ name, packageType }) },
  answer: {
    kind: 'json',
    success: 201,
    result: localRepositorySchema,
    location: '/1/workspaces/{workspaceId}/repositories/{id}',
  },
  idempotencyKey: 'taken',
  errors: ['REPOSITORY_NAME_TAKEN'],
  table: ['PutItem', 'UpdateItem'],
});

export const createRemoteRepository = contract({
  id: 'repositories/create-remote-repository',
  method: 'POST',
  path: '/1/workspaces/{workspace}/repositories/remote',
  summary: 'Create a remote repository',
  description:
    'The service does not contact the upstream. It refuses hosts that are not public, unless the operator allows them.',
  access: 'workspace-admin',
  request: {
    kind: 'json',
    body: object({ name, packageType, ...upstream, ...newGateSettings }, [
      'releaseGate',
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
  },
  answer: {
    kind: 'json',
    success: 201,
    result: createdRemoteRepositorySchema,
    location: '/1/workspaces/{workspaceId}/repositories/{id}',
  },
  idempotencyKey: 'taken',
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
  request: {
    kind: 'json',
    body: object({ name, packageType, ...listing }, ['uploadLocalRepositoryId']),
    example: {
      name: 'npm',
      packageType: 'npm',
      childRepositoryIds: listing.childRepositoryIds.examples[0],
      uploadLocalRepositoryId: listing.uploadLocalRepositoryId.examples[0],
    },
  },
  answer: {
    kind: 'json',
    success: 201,
    result: virtualRepositorySchema,
    location: '/1/workspaces/{workspaceId}/repositories/{id}',
  },
  idempotencyKey: 'taken',
  errors: ['REPOSITORY_NAME_TAKEN'],
  table: ['PutItem', 'UpdateItem'],
});

export const getRepository = contract({
  id: 'repositories/get-repository',
  method: 'GET',
  path: '/1/workspaces/{workspace}/repositories/{repository}',
  summary: 'Get a repository',
  access: 'repository-viewer',
  answer: { kind: 'json', success: 200, result: repositorySchema },
  errors: [],
  table: [],
  isHot: true,
});

export const listRepositories = contract({
  id: 'repositories/list-repositories',
  method: 'GET',
  path: '/1/workspaces/{workspace}/repositories',
  summary: 'List the repositories of a workspace',
  description: 'Ordered by name. Admins see all repositories, members the repositories that they have a permission on.',
  access: 'workspace-member',
  query: object(
    {
      packageType,
      repositoryType: schema({ type: 'string', enum: repositoryTypes, examples: ['local'] }),
      ...pageParameters,
    },
    ['packageType', 'repositoryType', 'limit', 'cursor'],
  ),
  answer: { kind: 'list', items: repositorySchema },
  errors: [],
  table: ['Query'],
});

export const listMemberRepositories = contract({
  id: 'repositories/list-member-repositories',
  method: 'GET',
  path: '/1/workspaces/{workspace}/members/{user}/repositories',
  summary: 'List the repositories that a member has a permission on',
  description:
    'Ordered by name. Members see their own permissions, admins of the workspace those of every member. Admins have every permission without a grant: the list of an admin is empty. Only users are shown it: a workspace token or a token of a trust is refused.',
  access: 'workspace-member',
  isForUsers: true,
  query: object(pageParameters, ['limit', 'cursor']),
  answer: {
    kind: 'list',
    items: object({
      repositoryId: id,
      repositoryName: schema({ type: 'string', examples: ['npm-local'] }),
      repositoryPermissionLevel: level,
    }),
  },
  errors: ['MEMBER_NOT_FOUND'],
  table: ['Query'],
});

const namesOf = <Fields extends object>(fields: Fields) => Object.keys(fields) as (keyof Fields & string)[];

/** The fields that can change, by the type of the repository. */
export const changeableFields = {
  local: [],
  remote: namesOf({ ...upstream, ...gateSettings }),
  virtual: namesOf({ ...listing, ...nameRules }),
} as const;

export const updateRepository = contract({
  id: 'repositories/update-repository',
  method: 'PATCH',
  path: '/1/workspaces/{workspace}/repositories/{repository}',
  summary: 'Update a repository',
  description:
    'The body is a JSON merge patch (RFC 7396): absent fields stay as they are, and null clears a field. The upstream, the caching and the `releaseGate` of a remote repository can change, and the children, the upload target and the `upstreamNames` of a virtual one. `name` and `packageType` never change. A new URL empties the cache, unless only a slash at its end differs. If it has another scheme, host or port, the stored password is deleted, unless the request contains it again.',
  access: 'workspace-admin',
  request: {
    kind: 'json',
    body: object({ ...upstream, ...gateSettings, ...listing, ...nameRules }, [
      ...changeableFields.remote,
      ...changeableFields.virtual,
    ]),
    immutable: ['name', 'packageType'],
    example: { isRemoteCacheEnabled: false, fileCacheTimeTillRevalidation: null },
  },
  answer: {
    kind: 'json',
    success: 200,
    result: schema({
      oneOf: [
        localRepositorySchema,
        object(
          {
            ...remoteRepositorySchema.properties,
            remoteRepositoryPasswordDropped: schema({
              type: 'boolean',
              description:
                'Whether the stored password was deleted, because the new URL has another scheme, host or port.',
              examples: [false],
            }),
          },
          ['releaseGate', 'warnings'],
        ),
        virtualRepositorySchema,
      ],
    }),
  },
  errors: [],
  table: ['Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
  encrypts: true,
});

export const deleteRepository = contract({
  id: 'repositories/delete-repository',
  method: 'DELETE',
  path: '/1/workspaces/{workspace}/repositories/{repository}',
  summary: 'Delete a repository',
  description:
    'A repository cannot be deleted while a virtual repository lists it. All permissions on the repository are deleted with it, and what it holds is out of reach at once.',
  access: 'workspace-admin',
  answer: {
    kind: 'json',
    success: 200,
    result: object({ repositoryId: id, status: deleted }),
  },
  errors: ['REPOSITORY_IN_USE'],
  table: ['Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
});
