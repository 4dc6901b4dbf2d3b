import { id, lastUsedAt, level, nullable, repositoryLevel, timestamp } from '../../shared/http/fields.ts';
import { array, object, schema } from '../../shared/http/schema.ts';
import { trustProviders } from '../../shared/trust-providers.ts';

/** The maximum number of repositories of one trust: every request of its tokens reads them. */
const repositoriesMax = 100;
const conditionsMax = 10;
export const lifetimeSecondsMax = 3_600;

export const name = schema({
  type: 'string',
  pattern: '^[a-z0-9-]{1,30}$',
  allowed: '1 to 30 lowercase letters, digits and hyphens',
  examples: ['release'],
});

export const provider = schema({
  type: 'string',
  enum: trustProviders,
  description:
    'Where the pipelines run. It brings the issuer, where all customers share one, and the conditions that exclude pull requests.',
  examples: ['github'],
});

export const issuer = schema({
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'The claim `iss` of the tokens, letter by letter. The default is the issuer of GitHub.com, GitLab.com or Buildkite; for CircleCI it is `https://oidc.circleci.com/org/` and the ID of your organization.',
  examples: ['https://token.actions.githubusercontent.com'],
});

const audience = schema({
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'The only audience of the tokens: the claim `aud`. Use the URL of this service; the default audience of an issuer is refused.',
  examples: ['https://stockroom.example.com'],
});

const claim = schema({ type: 'string', minLength: 1, maxLength: 100, examples: ['repository_id'] });
const claimText = schema({ type: 'string', minLength: 1, maxLength: 255, examples: ['123456789'] });

const conditions = schema({
  type: 'array',
  items: object(
    {
      claim,
      equals: nullable(
        schema({
          ...claimText,
          description: 'The exact text of the claim. Numbers and booleans count as their text.',
        }),
      ),
      matches: nullable(
        schema({
          ...claimText,
          description:
            'A glob, for the claim `sub` alone. A `*` at the end stands for any text, and any other `*` for a text without `:` and `/`.',
          examples: ['repo:acme/app:ref:refs/heads/*'],
        }),
      ),
    },
    ['equals', 'matches'],
  ),
  minItems: 1,
  maxItems: conditionsMax,
  description:
    'All of them must hold. At least one must be on a claim that says whose pipeline runs. Prefer IDs such as `repository_id`: somebody else can take the name of what was renamed or deleted.',
  examples: [
    [
      { claim: 'repository_id', equals: '123456789' },
      { claim: 'ref', equals: 'refs/heads/main' },
    ],
  ],
});

const allowsPullRequests = schema({
  type: 'boolean',
  description: 'Leaves out the conditions that exclude pull requests. The default is false.',
  examples: [false],
});

const repositories = schema({
  type: 'array',
  items: repositoryLevel,
  minItems: 1,
  maxItems: repositoriesMax,
  description: 'What the tokens may do, and nothing else. Each repository may occur once, by its ID or by its name.',
});

const lifetimeSeconds = schema({
  type: 'integer',
  minimum: 60,
  maximum: lifetimeSecondsMax,
  description: `How long a token of the trust lasts. The default is ${lifetimeSecondsMax}.`,
  examples: [900],
});

/** What of a trust can change. */
export const terms = { audience, conditions, allowsPullRequests, repositories, lifetimeSeconds } as const;

/** The wire record of a trust. */
export const trustSchema = {
  ...object({
    id,
    workspaceId: id,
    name,
    provider,
    issuer,
    audience,
    conditions: array(
      object(
        {
          claim,
          equals: claimText,
          matches: schema({ ...claimText, examples: ['repo:acme/app:ref:refs/heads/*'] }),
        },
        ['equals', 'matches'],
      ),
    ),
    readyMadeConditions: schema({
      ...array(object({ claim, excludes: array(claimText) })),
      description: 'The conditions of the provider: the claim must be there, and match none of the globs.',
      examples: [[{ claim: 'event_name', excludes: ['pull_request*'] }]],
    }),
    allowsPullRequests,
    repositories: array(
      object({
        repositoryId: id,
        repositoryName: schema({ type: 'string', examples: ['npm-local'] }),
        repositoryPermissionLevel: level,
      }),
    ),
    lifetimeSeconds,
    createdAt: timestamp,
    createdBy: id,
    lastUsedAt,
  }),
  title: 'Trust',
} as const;

/** An identity token, as the pipeline's service signs it. */
const identityToken = schema({
  type: 'string',
  minLength: 1,
  maxLength: 65_536,
  description: 'The identity token of the pipeline: a JSON Web Token.',
  examples: ['eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl'],
});

/** What a dry run takes: a token, or claims that nobody has signed. */
export const checked = {
  token: identityToken,
  claims: schema({
    type: 'object',
    additionalProperties: true,
    maxProperties: 200,
    allowed: 'an object of at most 200 claims',
    description: 'The claims of a token, instead of the token: nothing is verified then.',
    examples: [{ repository_id: '123456789', ref: 'refs/heads/main', event_name: 'push' }],
  }),
} as const;

const foundText = schema({
  type: ['string', 'null'],
  description: 'What the claim is; null if it is missing, or is no text, number or boolean.',
  examples: ['refs/heads/main'],
});

/** The answer of a dry run. */
export const checkSchema = object({
  isAccepted: schema({ type: 'boolean', description: 'Whether an exchange would succeed.', examples: [false] }),
  isVerified: schema({
    type: ['boolean', 'null'],
    description: 'Whether the token is signed by the issuer, for the audience and for now; null for claims.',
    examples: [null],
  }),
  reason: schema({
    type: ['string', 'null'],
    description: 'Why the token could not be verified.',
    examples: [null],
  }),
  conditions: array(
    object(
      {
        claim,
        equals: claimText,
        matches: schema({ ...claimText, examples: ['repo:acme/app:ref:refs/heads/*'] }),
        excludes: array(claimText),
        found: foundText,
        holds: schema({ type: 'boolean', examples: [true] }),
      },
      ['equals', 'matches', 'excludes'],
    ),
  ),
});

const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

const trustReference = schema({
  type: 'string',
  minLength: 1,
  maxLength: 100,
  description: 'The ID of the trust.',
  examples: id.examples,
});

/** The parameters of a token exchange (RFC 8693 section 2.1), and `trust`. */
export const exchangeParameters = {
  trust: trustReference,
  audience: schema({
    ...trustReference,
    description: 'The same as `trust`, for clients that know only the parameters of RFC 8693.',
  }),
  subject_token: identityToken,
  subject_token_type: schema({
    type: 'string',
    enum: ['urn:ietf:params:oauth:token-type:jwt', 'urn:ietf:params:oauth:token-type:id_token'],
  }),
  grant_type: schema({ type: 'string', enum: ['urn:ietf:params:oauth:grant-type:token-exchange'] }),
  requested_token_type: schema({ type: 'string', enum: [accessTokenType] }),
} as const;

/** The answer of a token exchange (RFC 8693 section 2.2). */
export const exchangeSchema = object({
  access_token: schema({
    type: 'string',
    pattern: '^str_tst_[0-9A-Za-z]{49}$',
    description: 'A token with what the trust grants. No later answer contains it.',
    examples: [`str_tst_${'0'.repeat(49)}`],
  }),
  issued_token_type: schema({ type: 'string', enum: [accessTokenType] }),
  token_type: schema({ type: 'string', enum: ['Bearer'] }),
  expires_in: schema({ type: 'integer', minimum: 1, maximum: lifetimeSecondsMax, examples: [900] }),
  expiresAt: timestamp,
});
