import { userRoles, workspaceRoles } from '../../shared/access.ts';
import { contract } from '../../shared/http/contract.ts';
import { freeName, id, nullable, pageParameters, timestamp } from '../../shared/http/fields.ts';
import { limitsSchema } from '../../shared/http/limits-record.ts';
import { array, object, schema } from '../../shared/http/schema.ts';
import { passwordLength } from '../../shared/limits.ts';
import { newUsernamePattern, newUsernameRule, usernamePattern } from '../../shared/usernames.ts';

const username = schema({ type: 'string', pattern: usernamePattern, examples: ['build-bot'] });
const newUsername = schema({ ...username, pattern: newUsernamePattern, allowed: newUsernameRule });

const password = schema({
  type: 'string',
  format: 'password',
  minLength: passwordLength.min,
  maxLength: passwordLength.max,
  writeOnly: true,
  examples: ['correct horse battery staple'],
});

const currentPassword = schema({
  type: 'string',
  format: 'password',
  maxLength: passwordLength.max,
  writeOnly: true,
  description: 'Your present password. It is required when you change your own password.',
  examples: ['the one before'],
});

const revokeTokens = schema({
  type: 'boolean',
  description:
    'True revokes all personal access tokens of the user, also the one of this request, with or without a new password.',
  examples: [true],
});

const email = nullable(
  schema({
    type: 'string',
    pattern: '^[!-?A-~]{1,64}@[!-?A-~]{1,255}$',
    allowed: 'an e-mail address of at most 320 characters such as build-bot@example.com, without spaces',
    description: 'Stored in lower case. Two users cannot have the same address.',
    examples: ['build-bot@example.com'],
  }),
);

const newPersonName = nullable(freeName({ maxLength: 30 }, 'Robin'));
const personName = nullable(schema({ type: 'string', maxLength: 30, examples: ['Robin'] }));

const userRole = schema({ type: 'string', enum: userRoles, examples: ['user'] });

const userFields = {
  id,
  userId: schema({ ...id, description: 'The same as `id`.' }),
  username,
  email,
  firstName: personName,
  lastName: personName,
  userRole,
  disabled: schema({
    type: 'boolean',
    description: 'All requests of a disabled user are refused, beginning with the next one.',
    examples: [false],
  }),
  createdAt: timestamp,
} as const;

export const userSchema = { ...object(userFields), title: 'User' } as const;

export const createUser = contract({
  id: 'users/create-user',
  method: 'POST',
  path: '/1/users',
  summary: 'Create a user',
  access: 'system-admin',
  isDelicate: true,
  request: {
    kind: 'json',
    body: object(
      {
        username: newUsername,
        password,
        email,
        firstName: newPersonName,
        lastName: newPersonName,
        userRole: nullable(userRole),
      },
      ['email', 'firstName', 'lastName', 'userRole'],
    ),
    example: {
      username: 'build-bot',
      password: 'correct horse battery staple',
      email: 'build-bot@example.com',
    },
  },
  answer: { kind: 'json', success: 201, result: userSchema, location: '/1/users/{id}' },
  idempotencyKey: 'taken',
  errors: ['USERNAME_TAKEN', 'EMAIL_TAKEN'],
  table: ['PutItem', 'UpdateItem'],
});

export const listUsers = contract({
  id: 'users/list-users',
  method: 'GET',
  path: '/1/users',
  summary: 'List all users',
  description: 'Ordered by username.',
  access: 'system-admin',
  query: object(pageParameters, ['limit', 'cursor']),
  answer: { kind: 'list', items: userSchema },
  errors: [],
  table: ['Query'],
});

export const getUser = contract({
  id: 'users/get-user',
  method: 'GET',
  path: '/1/users/{user}',
  summary: 'Get a user',
  description: 'Users can get their own record, System Admins that of every user.',
  access: 'oneself',
  answer: { kind: 'json', success: 200, result: userSchema },
  errors: ['USER_NOT_FOUND'],
  table: [],
});

export const getCurrentUser = contract({
  id: 'users/get-current-user',
  method: 'GET',
  path: '/1/users/me',
  summary: 'Get the current user',
  description:
    'The answer shows who you are, which token you use and when it expires, and your role in each of your workspaces.',
  access: 'user',
  answer: {
    kind: 'json',
    success: 200,
    result: object({
      ...userFields,
      token: schema({
        ...object({
          id,
          name: schema({ type: 'string', examples: ['ci'] }),
          expirationDate: nullable(timestamp),
          limits: limitsSchema,
        }),
        type: ['object', 'null'],
        description: 'The token of this request; null if the request came with a password.',
      }),
      workspaces: array(
        object({
          workspaceId: id,
          name: schema({ type: 'string', examples: ['acme'] }),
          role: schema({ type: 'string', enum: workspaceRoles, examples: ['member'] }),
        }),
      ),
    }),
  },
  errors: [],
  table: ['Query'],
});

export const updateUser = contract({
  id: 'users/update-user',
  method: 'PATCH',
  path: '/1/users/{user}',
  summary: 'Update a user',
  description:
    'The body is a JSON merge patch (RFC 7396): absent fields stay as they are, and null clears a field. The path also takes `me`. Users can change their own names and, with `currentPassword`, their own password. Only System Admins can change the other fields.',
  access: 'oneself',
  isDelicate: true,
  request: {
    kind: 'json',
    body: object(
      {
        email,
        firstName: newPersonName,
        lastName: newPersonName,
        password,
        currentPassword,
        revokeTokens,
        userRole,
        disabled: userFields.disabled,
      },
      ['email', 'firstName', 'lastName', 'password', 'currentPassword', 'revokeTokens', 'userRole', 'disabled'],
    ),
    example: { firstName: 'Build', lastName: null },
  },
  answer: { kind: 'json', success: 200, result: userSchema },
  errors: ['USER_NOT_FOUND', 'EMAIL_TAKEN', 'LAST_SYSTEM_ADMIN'],
  table: ['PutItem', 'UpdateItem', 'DeleteItem'],
});
