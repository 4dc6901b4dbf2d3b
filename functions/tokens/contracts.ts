import { contract } from '../../shared/http/contract.ts';
import { deleted, id, nullable, pageParameters, timestamp } from '../../shared/http/fields.ts';
import { object, schema } from '../../shared/http/schema.ts';

const name = schema({
  type: 'string',
  minLength: 1,
  maxLength: 100,
  examples: ['ci'],
});

const expirationDate = nullable(timestamp);

const record = object({
  id,
  name,
  expirationDate,
  createdAt: timestamp,
  lastUsedAt: nullable(
    schema({ ...timestamp, description: 'Rounded down to the hour.', examples: ['2026-01-31T09:00:00.000Z'] }),
  ),
});
/** A token as it is listed: no secret. */
export const personalAccessTokenSchema = { ...record, title: 'PersonalAccessToken' } as const;

export const createPersonalAccessToken = contract({
  id: 'tokens/create-personal-access-token',
  method: 'POST',
  path: '/1/users/personal-access-tokens',
  summary: 'Create a personal access token',
  description: 'The token is told once, in this answer; only its SHA-256 is stored.',
  access: 'user',
  request: {
    kind: 'json',
    body: object(
      {
        name,
        expirationDate: schema({
          type: ['string', 'null'],
          format: 'date-time',
          allowed: 'a future RFC 3339 date and time such as 2030-01-31T09:30:00Z, or null: never expires',
          examples: ['2099-01-31T09:30:00.000Z'],
        }),
      },
      ['expirationDate'],
    ),
  },
  answer: {
    kind: 'json',
    success: 201,
    result: object({
      id,
      name,
      token: schema({
        type: 'string',
        pattern: '^str_pat_[0-9A-Za-z]{49}$',
        description: 'The secret, told only now.',
        examples: [`str_pat_${'0'.repeat(49)}`],
      }),
      expirationDate,
      createdAt: timestamp,
    }),
    location: '/1/users/personal-access-tokens/{id}',
  },
  errors: [],
  table: ['PutItem'],
});

export const listPersonalAccessTokens = contract({
  id: 'tokens/list-personal-access-tokens',
  method: 'GET',
  path: '/1/users/personal-access-tokens',
  summary: 'List your personal access tokens',
  description: 'Ordered by name, then by ID; expired ones are included until you delete them.',
  access: 'user',
  query: object(pageParameters, ['limit', 'cursor']),
  answer: { kind: 'list', items: personalAccessTokenSchema },
  errors: [],
  table: ['Query'],
});

export const listUserPersonalAccessTokens = contract({
  id: 'tokens/list-user-personal-access-tokens',
  method: 'GET',
  path: '/1/users/{user}/personal-access-tokens',
  summary: 'List the personal access tokens of a user',
  description: 'Ordered by name, then by ID. With it, a System Admin finds the tokens to delete.',
  access: 'system-admin',
  query: object(pageParameters, ['limit', 'cursor']),
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
    'One of your own, by its ID; System Admins may get those of others. The answer never contains the secret.',
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
    'By its ID: one of your own; a System Admin may delete those of others. The token is refused from the next request on.',
  access: 'user',
  answer: { kind: 'json', success: 200, result: object({ tokenId: id, status: deleted }) },
  errors: ['TOKEN_NOT_FOUND'],
  table: ['DeleteItem'],
});
