import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in what a trust requires of identity tokens, and in how they are verified. */
export const trustMutants: readonly Mutant[] = [
  ...bugsIn('functions/trusts/conditions.ts', 'functions/trusts/conditions', {
    'a star in the middle stands for separators': [
      'if (found < 0 || separates.test(text.slice(at, found))) return false;',
      'if (found < 0) return false;',
    ],
    'a glob may begin in the middle of a text': ['if (!text.startsWith(first)) return false;', ''],
    'a missing claim meets an exclusion': [
      'if (text === undefined) return false;',
      "if (text === undefined) return 'excludes' in condition;",
    ],
    'what is excluded has no separator': ['matchesGlob(glob, text, nothing)', 'matchesGlob(glob, text)'],
    'two stars share a text': ['end >= at && ', ''],
  }),
  ...bugsIn('functions/trusts/terms.ts', 'functions/trusts/create-trust', {
    'a glob for names that begin alike is accepted': ['/^[^:/*]+[:/][^:/*]+[:/]/', '/^[^:/*]+[:/][^:/*]+/'],
    'the default audience is accepted': ['if (isDefaultAudience(audience, issuer))', 'if (audience === issuer)'],
    'everybody of an issuer is accepted': [
      'if (!conditions.some((condition) => isOnOwner(trust, condition)))',
      'if (conditions.length === 0)',
    ],
    'a sub counts whatever it begins with': ['!ownerSub || ownerSub.pattern.test(', '!ownerSub || /^/.test('],
    'null is a part of a condition': ["(typeof equals === 'string')", '(equals !== undefined)'],
    'a known issuer avoids its conditions': [
      'if (known !== undefined && known !== provider)',
      'if (known === provider)',
    ],
    'keys of a public host come without TLS': [
      "if (url.protocol === 'http:' && isPublicHost(host))",
      'if (!isPublicHost(host))',
    ],
  }),
  ...bugsIn('functions/trusts/create-trust.ts', 'functions/trusts/create-trust', {
    'what is wrong with the repositories comes last': [
      'requireValid(violations);',
      'requireValid(violations.filter((each) => !ofRepositories.includes(each)));\n    requireValid(violations);',
    ],
  }),
  ...bugsIn('.github/actions/login/login.sh', 'documents/login-action', {
    'an answer is a command of the workflow': [' | gsub("[\\r\\n%]"; " ")', ''],
    'an answer is a second output': [' | select(test("\\\\A[\\\\w-]+\\\\z"))', ''],
    'an identity goes over plain http': ['http://127.0.0.1[:/]*', 'http://*'],
  }),
  ...bugsIn('.github/workflows/ci.yml', 'laws/dependencies', {
    'an action is named by a tag': ['@8e8c483db84b4bee98b60c0593521ed34d9990e8 # v6.0.1', '@v6.0.1'],
  }),
  ...bugsIn('functions/trusts/identity-token.ts', 'functions/trusts/exchange-token', {
    'a token of any audience is accepted': ['audience,\n        clockTolerance', 'clockTolerance'],
    'a token for others, too, is accepted': ['claims.aud.length !== 1', 'claims.aud.length === 0'],
    'a token of any issuer is accepted': ['issuer,\n        audience,', 'audience,'],
    'a token never ends': ["requiredClaims: ['exp']", 'requiredClaims: []'],
    'a token is of any age': ['maxTokenAge: ageSecondsMax,', "maxTokenAge: '10y',"],
    'any algorithm is accepted': ["algorithms: ['RS256', 'ES256']", "algorithms: ['RS256', 'ES256', 'ES384', 'HS256']"],
    'a long token is read': ['if (token.length > tokenLengthMax)', 'if (token.length > 10 * tokenLengthMax)'],
  }),
  ...bugsIn('functions/trusts/issuer-keys.ts', 'functions/trusts/exchange-token', {
    'an issuer redirects': ['redirectsMax: 0,', ''],
    'the document of another issuer will do': ["if (fieldOf(document, 'issuer') !== issuer)", 'if (!document)'],
    'an issuer sends as much as it likes': ['bytesMax: 128 * 1024', 'bytesMax: 128 * 1024 * 1024'],
    'an issuer that failed is asked at once': [
      'if (failure && this.now() - failure.at < pauseMilliseconds) throw failure.error;',
      '',
    ],
    'each unknown key asks the issuer': [
      'if (known && this.now() - known.refreshedAt < pauseMilliseconds) return undefined;',
      '',
    ],
  }),
  ...bugsIn('shared/http/requests/parameters.ts', 'functions/trusts/exchange-token#takes the form', {
    'a parameter without a value is sent': ["value !== '' && ", ''],
    'an unknown parameter is refused': ['&& Object.hasOwn(properties, name)', ''],
  }),
  ...bugsIn('docs/pipelines.md', '~documents/login-action#publish with a token', {
    'a pipeline keeps its token to itself': ['- export STOCKROOM_TOKEN=${TOKEN:?}', '- STOCKROOM_TOKEN=${TOKEN:?}'],
    'a refused exchange ends no pipeline': ['- export STOCKROOM_TOKEN=${TOKEN:?}', '- export STOCKROOM_TOKEN=${TOKEN}'],
  }),
  ...bugsIn('functions/trusts/exchange-token.ts', 'functions/trusts/exchange-token', {
    'pull requests are accepted': ['allConditions(trust).filter(', 'trust.conditions.filter('],
  }),
  ...bugsIn('shared/table/identity/trust-tokens.ts', 'functions/trusts/exchange-token#is noted at its trust', {
    'nobody sees that a trust is used': ['if (hour === undefined) return [];', 'if (hour) return [];'],
  }),
  ...bugsIn('shared/table/identity/last-use.ts', 'functions/trusts/exchange-token#is noted at its trust', {
    'each use is written': ['lastUsedAt === undefined || lastUsedAt < hour ? hour : undefined', 'hour ?? lastUsedAt'],
  }),
  ...bugsIn('shared/http/caller.ts', 'functions/trusts/exchange-token', {
    'a token outlives what it had to meet': [
      'if (trust?.revision !== token.trustRevision) return undefined;',
      'if (!trust) return undefined;',
    ],
  }),
  ...bugsIn('functions/trusts/target-trust.ts', 'functions/trusts/get-trust', {
    'an ID leads to the trust of another workspace': ['if (item?.workspaceId !== workspaceId)', 'if (!item)'],
  }),
  ...bugsIn('functions/trusts/record.ts', 'requests/idempotency-keys#trusts', {
    'the order of fields is that of the table': ['trust.conditions.map(conditionFields)', '[...trust.conditions]'],
  }),
];
