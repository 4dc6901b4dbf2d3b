import { id } from '../../shared/http/fields.ts';
import { array, object, schema } from '../../shared/http/schema.ts';
import { decided } from './gate-schemas.ts';

const text = (what: string, example: string) =>
  schema({
    type: 'string',
    minLength: 1,
    maxLength: 255,
    allowed: `${what} of at most 255 characters`,
    examples: [example],
  });

export const checkedName = text('the name of a package', 'axios');
export const checkedVersion = text('a version', '1.14.1');

const decision = schema({
  type: 'string',
  enum: ['passes', 'held', 'blocked', 'unlisted'],
  description:
    '`held`: a release gate holds it back. `blocked`: a verdict or an advisory blocks it. `unlisted`: the upstream does not list it, nothing is kept of it, and neither is about it.',
  examples: ['held'],
});

const checkedSource = schema({
  ...object({
    repositoryId: id,
    repositoryName: schema({ type: 'string', examples: ['npmjs'] }),
    decision,
    rule: decided.rule,
    reason: decided.why,
    until: decided.until,
    isEnforced: decided.isEnforced,
  }),
  title: 'CheckedSource',
});

export const checkedVersionSchema = schema({
  ...object({
    packageName: schema({ type: 'string', description: 'As the package type spells it.', examples: ['axios'] }),
    version: schema({ type: 'string', description: 'As the package type spells it.', examples: ['1.14.1'] }),
    repositories: {
      ...array(checkedSource),
      description:
        'The remote repositories that are asked for the name, in their order. It is empty where local repositories alone answer: these are never gated.',
    },
  }),
  title: 'CheckedVersion',
});
