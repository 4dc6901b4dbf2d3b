import { id, nullable, timestamp } from '../../shared/http/fields.ts';
import { array, object, schema } from '../../shared/http/schema.ts';

/** What decides about a version, why, until when, and whether that changes anything. */
export const decided = {
  rule: schema({
    type: ['string', 'null'],
    enum: ['verdict', 'advisory', 'exempt', 'frozenAt', 'minimumAgeHours', 'untimed', 'withdrawnUpstream', null],
    description:
      'What decides: a verdict, an advisory, or the setting of the release gate that has this name; null if nothing does.',
    examples: ['minimumAgeHours'],
  }),
  why: schema({
    type: ['string', 'null'],
    examples: ['it was published on 2026-01-31T09:30:00.000Z, and passes when it is 72 hours old'],
  }),
  until: { ...nullable(timestamp), description: 'When it passes, if that is known.' },
  isEnforced: schema({
    type: 'boolean',
    description: 'Whether clients are refused: a release gate may only observe.',
    examples: [true],
  }),
} as const;

/** What is decided about a kept version. */
export const versionGate = schema({
  ...object({
    state: schema({
      type: 'string',
      enum: ['passes', 'held', 'blocked', 'unknown'],
      description:
        '`held`: a release gate holds it back. `blocked`: a verdict or an advisory blocks it. `unknown`: what is kept of the upstream does not say when it was published; a check asks the upstream.',
      examples: ['passes'],
    }),
    ...decided,
  }),
  type: ['object', 'null'],
  description:
    'What the release gate of the repository, the verdicts of the workspace and advisories decide about the version; null where there are none, and in local repositories. It is computed from what is kept of the upstream, which is not asked.',
  examples: [null],
});

/** The versions of upstreams that do not pass. */
export const heldVersions = {
  ...array(
    schema({
      ...object({
        version: schema({ type: 'string', examples: ['1.14.1'] }),
        repositoryId: id,
        repositoryName: schema({ type: 'string', examples: ['npmjs'] }),
        state: schema({ type: 'string', enum: ['held', 'blocked'], examples: ['held'] }),
        ...decided,
      }),
      title: 'HeldVersion',
    }),
  ),
  description:
    'The versions that release gates hold back, or verdicts or advisories block, also those that are not kept, of each remote repository that answers for the name: at most the first 100, those that wait longest first. They are computed from what is kept of the upstreams, which are not asked: where no index of the package is, of the versions that verdicts name and the first 100 that are kept.',
  examples: [[]],
} as const;
