import { nullable } from '../../shared/http/fields.ts';
import { object, schema } from '../../shared/http/schema.ts';

const gateFields = {
  mode: schema({
    type: 'string',
    enum: ['enforce', 'observe'],
    description: '`observe` changes no answer, and says `X-Stockroom-Gate: would-hold` where `enforce` would.',
    examples: ['enforce'],
  }),
  minimumAgeHours: schema({
    type: 'integer',
    minimum: 0,
    maximum: 8760,
    description: 'Younger versions are held back.',
    examples: [72],
  }),
  frozenAt: nullable(
    schema({
      type: 'string',
      format: 'date-time',
      description: 'Versions that were published later are held back.',
      examples: ['2026-01-31T09:30:00.000Z'],
    }),
  ),
  untimed: schema({
    type: 'string',
    enum: ['firstSeen', 'hold', 'pass'],
    description:
      'What counts for a version of which the upstream says no time: when this repository first saw it (without a cache, as `hold`), that it is held back, or that it passes. What a repository sees of a package at first is old.',
    examples: ['firstSeen'],
  }),
  exempt: schema({
    type: 'array',
    items: {
      type: 'string',
      pattern: '^([^*\\u0000-\\u001f]{1,254}\\*?|\\*)$',
      allowed: "a package name, the beginning of package names and '*', or name@version, of at most 255 characters",
    },
    maxItems: 100,
    description: 'Names, beginnings of names with `*`, and versions as `name@version`, which always pass.',
    examples: [['@acme/*', 'left-pad@1.3.0']],
  }),
  blockSeverity: {
    ...schema({
      type: ['string', 'null'],
      enum: ['critical', 'high', null],
      allowed: 'critical, high or null',
      description:
        'Advisories on vulnerabilities of this severity or a worse one block versions, too. With null, only those on malware do.',
      examples: ['critical'],
    }),
  },
  withdrawnUpstream: schema({
    type: 'string',
    enum: ['hold', 'serve'],
    description: 'What happens with a version that is kept here and that the upstream no longer lists.',
    examples: ['hold'],
  }),
} as const;

const gateNames = Object.keys(gateFields) as (keyof typeof gateFields)[];

const ofGate = {
  type: ['object', 'null'],
  allowed: 'an object with the settings of the gate, or null: no gate',
  description:
    'Holds new versions of the upstream back. An absent setting stays as it is; without one before, it is `enforce`, 72 hours, `frozenAt` null, `firstSeen`, nothing exempt, `blockSeverity` null, `hold`. null turns the gate off.',
} as const;

/** The release gate, in the update of a remote repository. */
export const gateSettings = { releaseGate: schema({ ...object(gateFields, gateNames), ...ofGate }) } as const;

const newGateFields = {
  ...gateFields,
  mode: nullable(gateFields.mode),
  minimumAgeHours: nullable(gateFields.minimumAgeHours),
  untimed: nullable(gateFields.untimed),
  exempt: schema({ ...gateFields.exempt, type: ['array', 'null'] }),
  withdrawnUpstream: nullable(gateFields.withdrawnUpstream),
} as const;

/** The release gate of a new remote repository, where null is as good as absent. */
export const newGateSettings = { releaseGate: schema({ ...object(newGateFields, gateNames), ...ofGate }) } as const;

/** The release gate in the record of a remote repository. */
export const shownGate = schema({
  ...object(gateFields),
  description: 'What the release gate holds back. It is absent if the gate is off.',
});
