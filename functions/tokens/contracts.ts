import { contract } from '../../shared/http/contract.ts';
import { id, timestamp } from '../../shared/http/fields.ts';
import { object, schema } from '../../shared/http/schema.ts';

const name = schema({
  type: 'string',
  minLength: 1,
  maxLength: 100,
  examples: ['ci'],
});

export const createPersonalAccessToken = contract({
  id: 'tokens/create-personal-access-token',
  method: 'POST',
  path: '/1/users/personal-access-tokens',
  summary: 'Create a personal access token',
  description: 'The token is told once, in this answer; only its SHA-256 is stored.',
  access: 'user',
  body: object(
    {
      name,
      expirationDate: schema({
        type: ['string', 'null'],
        format: 'date-time',
        allowed: 'a future RFC 3339 date and time such as 2027-01-31T09:30:00Z, or null: never expires',
        examples: ['2030-01-31T09:30:00.000Z'],
      }),
    },
    ['expirationDate'],
  ),
  success: 201,
  result: object({
    id,
    name,
    token: schema({
      type: 'string',
      pattern: '^str_pat_[0-9A-Za-z]{49}$',
      description: 'The secret, told only now.',
    }),
    expirationDate: schema({ ...timestamp, type: ['string', 'null'] }),
    createdAt: timestamp,
  }),
  location: '/1/users/personal-access-tokens/{id}',
  errors: [],
  table: ['PutItem'],
});
