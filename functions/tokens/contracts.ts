import { contract } from '../../shared/http/contract.ts';
import { deleted, freeName, id, nullable, pageParameters, timestamp } from '../../shared/http/fields.ts';
import { object, schema } from '../../shared/http/schema.ts';

const newName = freeName({ minLength: 1, maxLength: 100 }, 'ci');
// A token from before the rule has any characters.
const name = schema({ type: 'string', minLength: 1, maxLength: 100, examples: ['ci'] });

const expirationDate = nullable(timestamp);

const record = object({
  id,
  name,
  expirationDate,
  createdAt: timestamp,
  lastUsedAt: nullable(
    schema({
      ...timestamp,
      description: 'The time of the last use, rounded down to the hour; null before the first use.',
      examples: ['2026-01-31T09:00:00.000Z'],
    }),
  ),
});
/** The wire record of a token, without the token itself. */
export const personalAccessTokenSchema = { ...record, title: 'PersonalAccessToken' } as const;

export const createPersonalAccessToken = contract({
  id: 'tokens/create-personal-access-token',
  method: 'POST',
  path: '/1/users/personal-access-tokens',
  summary: 'Create a personal access token',
  description:
    'Only this answer contains the token. The service stores nothing but its SHA-256. A token that is created with a token expires with it at the latest, and by default.',
  access: 'user',
  request: {
    kind: 'json',
    body: object(
      {
        name: newName,
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
        description: 'The token itself. No later answer contains it.',
        examples: [`str_pat_${'0'.repeat(49)}`],
      }),
      expirationDate,
      createdAt: timestamp,
    }),
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
  description: 'Ordered by name, then by ID. System Admins can delete each of these tokens by its ID.',
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
  answer: { kind: 'json', success: 200, result: object({ tokenId: id, status: deleted }) },
  errors: ['TOKEN_NOT_FOUND'],
  table: ['PutItem', 'DeleteItem'],
});
