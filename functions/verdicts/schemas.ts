import { freeName, id, nullable, timestamp } from '../../shared/http/fields.ts';
import { object, schema } from '../../shared/http/schema.ts';
import { packageTypes } from '../../shared/package-types.ts';

export const packageType = schema({ type: 'string', enum: packageTypes });

export const shownPackage = schema({
  type: 'string',
  description: 'The name of a package, or the beginning of names and `*`, as the package type spells it.',
  examples: ['axios'],
});

const verdict = schema({
  type: 'string',
  enum: ['block', 'allow'],
  description:
    '`block`: nobody gets the versions from an upstream. `allow`: whatever the age of the versions, they pass the release gates.',
  examples: ['block'],
});

const versions = schema({
  type: 'array',
  items: { type: 'string', pattern: '^[^\\p{Cc}]{1,255}$', allowed: 'a version of at most 255 characters' },
  minItems: 1,
  maxItems: 100,
  description: 'Versions, in any spelling of the package type; or `*` alone: all of them.',
  examples: [['1.14.1']],
});

const reason = schema({
  ...freeName({ minLength: 1, maxLength: 300 }, 'Hijacked: it installs a remote access tool.'),
  description: 'Clients are told the reason.',
});

const newEnd = schema({
  type: ['string', 'null'],
  format: 'date-time',
  allowed: 'a future RFC 3339 date and time such as 2030-01-31T09:30:00Z, or null: it has no end',
  description: 'When the verdict ends. By default, it has no end.',
  examples: ['2099-01-31T09:30:00.000Z'],
});

/** Its allowed values, for the sentence of a violation. */
export const allowedEnd = newEnd.allowed;

export const verdictBody = object({ verdict, versions, reason, expiresAt: newEnd }, ['expiresAt']);

export const verdictSchema = schema({
  ...object({
    workspaceId: id,
    packageType,
    package: shownPackage,
    verdict,
    versions,
    reason,
    expiresAt: nullable(timestamp),
    decidedAt: timestamp,
    decidedBy: { ...id, description: 'The ID of the user who decided.' },
  }),
  title: 'Verdict',
});
