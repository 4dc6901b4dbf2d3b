import { contract } from '../../shared/http/contract.ts';
import { deleted, id } from '../../shared/http/fields.ts';
import { object } from '../../shared/http/schema.ts';
import {
  newPersonalAccessTokenSchema,
  newWorkspaceTokenSchema,
  personalAccessTokenBody,
  personalAccessTokenSchema,
  rotatedPersonalAccessTokenSchema,
  rotatedWorkspaceTokenSchema,
  rotationBody,
  tokensQuery,
  workspaceTokenBody,
  workspaceTokenSchema,
} from './schemas.ts';

export const createPersonalAccessToken = contract({
  id: 'tokens/create-personal-access-token',
  method: 'POST',
  path: '/1/users/personal-access-tokens',
  summary: 'Create a personal access token',
  description:
    'Only this answer contains the token. The service stores nothing but its SHA-256. A token that is created with a token expires with it at the latest, and by default; a token with limits cannot create one.',
  access: 'user',
  isDelicate: true,
  request: {
    kind: 'json',
    body: personalAccessTokenBody,
    example: {
      name: 'ci',
      expirationDate: '2099-01-31T09:30:00.000Z',
    },
  },
  answer: {
    kind: 'json',
    success: 201,
    result: newPersonalAccessTokenSchema,
    location: '/1/users/personal-access-tokens/{id}',
  },
  idempotencyKey: 'refused',
  errors: [],
  table: ['PutItem'],
});

export const listPersonalAccessTokens = contract({
  id: 'tokens/list-personal-access-tokens',
  method: 'GET',
  path: '/1/users/personal-access-tokens',
  summary: 'List your personal access tokens',
  description: 'Ordered by name, then by ID. Expired tokens stay in the list until you delete them.',
  access: 'user',
  query: tokensQuery,
  answer: { kind: 'list', items: personalAccessTokenSchema },
  errors: [],
  table: ['Query'],
});

export const listUserPersonalAccessTokens = contract({
  id: 'tokens/list-user-personal-access-tokens',
  method: 'GET',
  path: '/1/users/{user}/personal-access-tokens',
  summary: 'List the personal access tokens of a user',
  description: 'Ordered by name, then by ID. System Admins can delete each of these tokens by its ID.',
  access: 'system-admin',
  query: tokensQuery,
  answer: { kind: 'list', items: personalAccessTokenSchema },
  errors: ['USER_NOT_FOUND'],
  table: ['Query'],
});

export const getPersonalAccessToken = contract({
  id: 'tokens/get-personal-access-token',
  method: 'GET',
  path: '/1/users/personal-access-tokens/{tokenId}',
  summary: 'Get a personal access token',
  description:
    'Users can get their own tokens, System Admins those of every user. The answer never contains the token itself.',
  access: 'user',
  answer: { kind: 'json', success: 200, result: personalAccessTokenSchema },
  errors: ['TOKEN_NOT_FOUND'],
  table: [],
});

export const deletePersonalAccessToken = contract({
  id: 'tokens/delete-personal-access-token',
  method: 'DELETE',
  path: '/1/users/personal-access-tokens/{tokenId}',
  summary: 'Delete a personal access token',
  description:
    'Users can delete their own tokens, System Admins those of every user. The next request with the token is refused.',
  access: 'user',
  limitedTokens: 'themselves',
  answer: { kind: 'json', success: 200, result: object({ tokenId: id, status: deleted }) },
  errors: ['TOKEN_NOT_FOUND'],
  table: ['PutItem', 'UpdateItem', 'DeleteItem'],
});

export const rotatePersonalAccessToken = contract({
  id: 'tokens/rotate-personal-access-token',
  method: 'POST',
  path: '/1/users/personal-access-tokens/{tokenId}/rotate',
  summary: 'Replace one of your personal access tokens by a new one',
  description:
    'The new token has the same name and may do the same. The old one can be used for `overlapSeconds` more, and is listed so long; without them it is gone at once. A token that is rotated with a token expires with it at the latest.',
  access: 'user',
  isDelicate: true,
  limitedTokens: 'themselves',
  request: { kind: 'json', body: rotationBody },
  answer: {
    kind: 'json',
    success: 201,
    result: rotatedPersonalAccessTokenSchema,
    location: '/1/users/personal-access-tokens/{id}',
  },
  idempotencyKey: 'refused',
  errors: ['TOKEN_NOT_FOUND', 'TOKEN_ENDED'],
  table: ['PutItem', 'UpdateItem', 'DeleteItem'],
});

export const createWorkspaceToken = contract({
  id: 'tokens/create-workspace-token',
  method: 'POST',
  path: '/1/workspaces/{workspace}/tokens',
  summary: 'Create a workspace token',
  description:
    'A token with no user behind it: it sees this workspace alone, has a level on all of its repositories or on some, and is never an admin. It ends when it expires, is deleted or rotated, and with the workspace. Only this answer contains the token. A token that is created with a token expires with it at the latest, and by default.',
  access: 'workspace-admin',
  isDelicate: true,
  limitedTokens: 'refused',
  request: { kind: 'json', body: workspaceTokenBody, example: { name: 'ci', repositoryPermissionLevel: 'canDeploy' } },
  answer: {
    kind: 'json',
    success: 201,
    result: newWorkspaceTokenSchema,
    location: '/1/workspaces/{workspaceId}/tokens/{id}',
  },
  idempotencyKey: 'refused',
  errors: [],
  table: ['PutItem', 'ConditionCheckItem'],
});

export const listWorkspaceTokens = contract({
  id: 'tokens/list-workspace-tokens',
  method: 'GET',
  path: '/1/workspaces/{workspace}/tokens',
  summary: 'List the tokens of a workspace',
  description: 'Ordered by name, then by ID. Expired tokens stay in the list until they are deleted.',
  access: 'workspace-admin',
  query: tokensQuery,
  answer: { kind: 'list', items: workspaceTokenSchema },
  errors: [],
  table: ['Query'],
});

export const getWorkspaceToken = contract({
  id: 'tokens/get-workspace-token',
  method: 'GET',
  path: '/1/workspaces/{workspace}/tokens/{tokenId}',
  summary: 'Get a workspace token',
  description: 'The answer never contains the token itself.',
  access: 'workspace-admin',
  answer: { kind: 'json', success: 200, result: workspaceTokenSchema },
  errors: ['TOKEN_NOT_FOUND'],
  table: [],
});

export const deleteWorkspaceToken = contract({
  id: 'tokens/delete-workspace-token',
  method: 'DELETE',
  path: '/1/workspaces/{workspace}/tokens/{tokenId}',
  summary: 'Delete a workspace token',
  description: 'The next request with the token is refused.',
  access: 'workspace-admin',
  answer: { kind: 'json', success: 200, result: object({ tokenId: id, status: deleted }) },
  errors: ['TOKEN_NOT_FOUND'],
  table: ['PutItem', 'DeleteItem'],
});

export const rotateWorkspaceToken = contract({
  id: 'tokens/rotate-workspace-token',
  method: 'POST',
  path: '/1/workspaces/{workspace}/tokens/{tokenId}/rotate',
  summary: 'Replace a workspace token by a new one',
  description:
    'The new token has the same name and may do the same. The old one can be used for `overlapSeconds` more, and is listed so long; without them it is gone at once. A token that is rotated with a token expires with it at the latest.',
  access: 'workspace-admin',
  isDelicate: true,
  limitedTokens: 'refused',
  request: { kind: 'json', body: rotationBody },
  answer: {
    kind: 'json',
    success: 201,
    result: rotatedWorkspaceTokenSchema,
    location: '/1/workspaces/{workspaceId}/tokens/{id}',
  },
  idempotencyKey: 'refused',
  errors: ['TOKEN_NOT_FOUND', 'TOKEN_ENDED'],
  table: ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
});
