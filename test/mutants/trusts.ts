import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in what a trust demands of identity tokens, and in how they are verified. */
export const trustMutants: readonly Mutant[] = [
  ...bugsIn('functions/trusts/conditions.ts', 'functions/trusts/conditions', {
    'a star in the middle stands for separators': [
      'if (found < 0 || separator.test(text.slice(at, found))) return false;',
      'if (found < 0) return false;',
    ],
    'a glob may begin in the middle of a text': ['if (!text.startsWith(first)) return false;', ''],
    'a missing claim meets an exclusion': [
      'if (text === undefined) return false;',
      "if (text === undefined) return 'excludes' in condition;",
    ],
    'an inherited field is a claim': ['Object.hasOwn(claims, claim) ? claims[claim] : undefined', 'claims[claim]'],
    'two stars share a text': ['end >= at && ', ''],
  }),
  ...bugsIn('functions/trusts/terms.ts', 'functions/trusts/create-trust', {
    'a glob for names that begin alike is accepted': ['/^[^:/*]+[:/][^:/*]+[:/]/', '/^[^:/*]+[:/][^:/*]+/'],
    'the default audience is accepted': ['if (isDefaultAudience(audience, issuer))', 'if (audience === issuer)'],
    'everybody of an issuer is accepted': [
      'if (!conditions.some((condition) => isOnOwner(trust, condition)))',
      'if (conditions.length === 0)',
    ],
    'a known issuer avoids its conditions': [
      'if (known !== undefined && known !== provider)',
      'if (known === provider)',
    ],
    'keys of a public host come without TLS': [
      "if (url.protocol === 'http:' && isPublicHost(host))",
      'if (!isPublicHost(host))',
    ],
  }),
  ...bugsIn('functions/trusts/record.ts', 'idempotency-keys#trusts', {
    'the order of fields is that of the table': ['trust.conditions.map(claimRecord)', '[...trust.conditions]'],
  }),
];
