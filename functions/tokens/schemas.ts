import {
  freeName,
  id,
  lastUsedAt,
  level,
  nullable,
  pageParameters,
  repositoryLevel,
  timestamp,
} from '../../shared/http/fields.ts';
import { limitsSchema } from '../../shared/http/limits-record.ts';
import { array, object, schema } from '../../shared/http/schema.ts';
import { batchRepositoriesMax, limitedWorkspacesMax } from '../../shared/limits.ts';

const newName = freeName({ minLength: 1, maxLength: 100 }, 'ci');
// A token from before the rule has any characters.
const name = schema({ type: 'string', minLength: 1, maxLength: 100, examples: ['ci'] });

const expirationDate = nullable(timestamp);

export const newExpirationDate = schema({
  type: ['string', 'null'],
  format: 'date-time',
  allowed: 'a future RFC 3339 date and time such as 2030-01-31T09:30:00Z, or null: never expires',
  examples: ['2099-01-31T09:30:00.000Z'],
});

/** What every token shows of itself. */
const common = {
  id,
  name,
  expirationDate,
  createdAt: timestamp,
  createdBy: schema({ ...id, description: 'The ID of the user who made the token.' }),
  lastUsedAt,
  unused: schema({
    type: 'boolean',
    description: 'Whether the token has not expired, and was not used for 90 days or as long as the operator has set.',
    examples: [false],
  }),
  replacedBy: nullable(
    schema({
      ...id,
      description: 'The ID of the token that took its place in a rotation; null if there is none.',
      examples: [null],
    }),
  ),
} as const;

export const personalAccessTokenSchema = {
  ...object({ ...common, limits: limitsSchema }),
  title: 'PersonalAccessToken',
} as const;

const grants = {
  workspaceId: id,
  repositoryPermissionLevel: nullable(
    schema({ ...level, description: 'The level on every repository of the workspace; null if only some are listed.' }),
  ),
  repositories: schema({
    ...array(object({ repositoryId: id, repositoryPermissionLevel: level })),
    description: 'The repositories that the token has a level on; empty if it has one on all.',
  }),
} as const;

export const workspaceTokenSchema = { ...object({ ...common, ...grants }), title: 'WorkspaceToken' } as const;

const secretOf = (prefix: string) =>
  schema({
    type: 'string',
    pattern: `^${prefix}[0-9A-Za-z]{49}$`,
    description: 'The token itself. No later answer contains it.',
    examples: [`${prefix}${'0'.repeat(49)}`],
  });

/** What the answer that creates a token has. */
const created = { id, name, expirationDate, createdAt: timestamp } as const;

/** What the answer to a rotation has in addition. */
const rotation = {
  replaces: schema({ ...id, description: 'The ID of the token whose place it takes.' }),
  replacedUntil: nullable(
    schema({ ...timestamp, description: 'Until when the replaced token can be used; null: no longer.' }),
  ),
} as const;

const personal = { ...created, token: secretOf('str_pat_'), limits: limitsSchema } as const;
const ofWorkspace = { ...created, token: secretOf('str_wst_'), ...grants } as const;

export const newPersonalAccessTokenSchema = object(personal);
export const rotatedPersonalAccessTokenSchema = object({ ...personal, ...rotation });
export const newWorkspaceTokenSchema = object(ofWorkspace);
export const rotatedWorkspaceTokenSchema = object({ ...ofWorkspace, ...rotation });

export const rotationBody = object(
  {
    overlapSeconds: nullable(
      schema({
        type: 'integer',
        minimum: 0,
        maximum: 86_400,
        description: 'How much longer the old token can be used. The default is 0: no longer.',
        examples: [3600],
      }),
    ),
    expirationDate: schema({
      ...newExpirationDate,
      description: 'When the new token expires. The default is when the old one would have expired.',
    }),
  },
  ['overlapSeconds', 'expirationDate'],
);

export const workspaceTokenBody = object(
  {
    name: newName,
    repositoryPermissionLevel: nullable(
      schema({ ...level, description: 'The level on every repository of the workspace, also on those to come.' }),
    ),
    repositories: schema({
      type: ['array', 'null'],
      items: repositoryLevel,
      minItems: 1,
      maxItems: batchRepositoriesMax,
      description: 'The level on each of some repositories, instead of one on all.',
    }),
    expirationDate: newExpirationDate,
  },
  ['repositoryPermissionLevel', 'repositories', 'expirationDate'],
);

const newLimits = schema({
  ...object(
    {
      workspaces: schema({
        type: ['array', 'null'],
        items: object(
          {
            workspaceReference: schema({
              type: 'string',
              maxLength: 100,
              allowed: 'the ID or name of a workspace',
              examples: ['acme'],
            }),
            repositoryReferences: schema({
              type: ['array', 'null'],
              items: schema({
                type: 'string',
                maxLength: 100,
                allowed: 'the ID or name of a repository',
                examples: ['npm-local'],
              }),
              minItems: 1,
              maxItems: batchRepositoriesMax,
              description: 'Only these repositories of the workspace. Without it: all of them.',
            }),
          },
          ['repositoryReferences'],
        ),
        minItems: 1,
        maxItems: limitedWorkspacesMax,
        description: 'Only these workspaces. The others do not exist for the token.',
      }),
      repositoryPermissionLevel: nullable(schema({ ...level, description: 'The highest level on a repository.' })),
      readOnly: schema({ type: ['boolean', 'null'], description: 'Whether it may only read.', examples: [false] }),
    },
    ['workspaces', 'repositoryPermissionLevel', 'readOnly'],
  ),
  type: ['object', 'null'],
  description:
    'What the token may do at most. Each request is checked against it and against what the user may do at that moment.',
});

export const personalAccessTokenBody = object({ name: newName, expirationDate: newExpirationDate, limits: newLimits }, [
  'expirationDate',
  'limits',
]);

/** The query of a list of tokens. */
export const tokensQuery = object(
  {
    unused: schema({ type: 'string', enum: ['true'], description: 'Only tokens that are unused.' }),
    ...pageParameters,
  },
  ['unused', 'limit', 'cursor'],
);
