import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs that the whole suite once passed over, or saw by a single test of something else. */
export const formerSurvivors: readonly Mutant[] = [
  ...bugsIn('shared/http/answers/json.ts', 'infra/local/runner#under its stage', {
    'a Location leaves out the stage': ['basePathOf(event) + filled', 'filled'],
  }),
  ...bugsIn('shared/table/lists.ts', 'functions/repositories/list-repositories', {
    'a filtered page that is exactly full ends the list': [
      'if (entries.length > limit) return { entries: entries.slice(0, limit), next: entries[limit - 1]?.position };',
      'if (entries.length >= limit) return { entries: entries.slice(0, limit), next: undefined };',
    ],
  }),
  ...bugsIn('shared/outages.ts', 'shared/outages', {
    'a refused connection is no outage': [" || 'code' in error", ''],
    'a time-out is no outage': ["error.name === 'AbortError' || error.name === 'TimeoutError' || ", ''],
    "the client's fault is an outage": ["error.$fault === 'server'", "error.$fault !== ''"],
  }),
  ...bugsIn('shared/table/retries.ts', 'shared/table/retries', {
    'a transaction in progress is not tried again': [", 'TransactionInProgressException'", ''],
    'a throttled action of a transaction is not tried again': ["  'ThrottlingError',\n", ''],
  }),
  ...bugsIn('shared/jitter.ts', 'shared/table/retries', {
    'the pauses have no jitter': ['Math.random() * milliseconds', 'milliseconds'],
  }),
  ...bugsIn('functions/sweeper.ts', 'sweeps/sweeper#where one cannot be swept', {
    'what cannot be swept ends the run': ['      failures.push(error);\n', '      throw error;\n'],
    'nobody hears of what cannot be swept': ['if (failure !== undefined) throw failure;', ''],
  }),
  ...bugsIn('functions/sweeper.ts', 'sweeps/sweeper', {
    'a sweep ends after the first 25 workspaces': [
      '  while (hasTime()) {',
      '  for (let looks = 0; looks < 1; looks += 1) {',
    ],
  }),
  ...bugsIn('shared/upstream/public-hosts.ts', 'shared/upstream/public-hosts', {
    'an allowed host also matches as the end of another': ['entry === host ||', 'host.endsWith(entry) ||'],
  }),
  ...bugsIn('shared/observability/log.ts', 'functions/advisories/create-advisory-import#with too few entries', {
    'no refused archive is counted': ["if (report.outcome === 'refused') countRefusedImport();", ''],
  }),
  ...bugsIn('shared/observability/log.ts', 'sweeps/sweeper#begins nothing', {
    'no unfinished sweep is counted': ['if (report.pending) countUnfinishedSweep();', ''],
  }),
  ...bugsIn('shared/observability/metrics.ts', 'records/metrics', {
    'a request counts those before it again': ['counts.clear();', ''],
    'a refusal does not count by its reason': ['[[service], [service, ofReason]]', '[[service]]'],
    'a line has no time of its metrics': ['Timestamp: Date.now(), ', ''],
  }),
  ...bugsIn('shared/http/endpoint.ts', 'records/metrics', {
    'durations are in seconds': [
      'durationMilliseconds: Date.now() - exchange.startedAt',
      'durationMilliseconds: (Date.now() - exchange.startedAt) / 1000',
    ],
  }),
  ...bugsIn('shared/observability/metrics.ts', 'shared/observability/metrics', {
    'a key that is pending deletion counts as no denial': ["  'KMSInvalidStateException',\n", ''],
    'a disabled key counts as no denial': ["  'DisabledException',\n", ''],
    'a missing right counts as no denial': ["  'AccessDeniedException',\n", ''],
    'a key that is out of reach counts as no denial': ["  'KeyUnavailableException',\n", ''],
  }),
  ...bugsIn('functions/authorizer.ts', 'infra/local/role-policy', {
    'a right that the authorizer lacks rings no alarm': ['log.authorizerFailure(error);', ''],
  }),
  ...bugsIn('shared/http/problem.ts', ['shared/http/response', 'infra/template'], {
    'HSTS ends at once': ['max-age=63072000', 'max-age=0'],
  }),
  ...bugsIn('shared/http/response.ts', 'shared/http/response', {
    'a 429 of a function does not say when to come back': [
      "...(retryAfterSeconds && { 'Retry-After'",
      "...(status === 503 && { 'Retry-After'",
    ],
  }),
  ...bugsIn('shared/observability/log.ts', 'shared/observability/log', {
    'what an import counted is never written': [
      "writeLine('INFO', 'advisory import', { ...report });\n    writeCounts();",
      "writeLine('INFO', 'advisory import', { ...report });",
    ],
    'errors of the SDK are logged with the items of the table': [
      '    ? {\n        name: error.name,',
      '    ? {\n        ...error,\n        name: error.name,',
    ],
  }),
  ...bugsIn('infra/api/reference-page.ts', 'functions/system/get-reference-page', {
    'the reference page may send forms': ['    "form-action \'none\'",\n', ''],
    'the reference page may have another base': ['    "base-uri \'none\'",\n', ''],
  }),
  ...bugsIn('infra/local/authorization.ts', 'infra/local/authorizer', {
    'the gateway remembers a credential for ever': ['known && known.until > Date.now()', 'known'],
  }),
  ...bugsIn('infra/local/data-directory.ts', 'infra/local/runner#nobody else can look into', {
    'everybody may look into the data directory': ['mode: 0o700', 'mode: 0o755'],
  }),
  ...bugsIn('infra/local/engine.ts', 'infra/local/runner#listens to this machine alone', {
    'the table engine listens to the whole network': ["'--host', '127.0.0.1'", "'--host', '0.0.0.0'"],
    'everybody may read a table of an earlier release': [
      'if (dataDirectory) closeToOthers(dataDirectory);',
      '',
      'infra/local/runner#a data directory that was there',
    ],
  }),
  ...bugsIn('infra/local/bound-child.sh', 'infra/local/runner#a data directory that was there', {
    'everybody may read the table': ['umask 077', 'umask 022'],
  }),
  ...bugsIn('infra/local/welcome.ts', 'infra/local/welcome', {
    'the chosen password is printed': ['wish.password ? undefined : firstAdmin.password', 'firstAdmin.password'],
    'a second start names who was never created': ['curl -i -u USERNAME', "curl -i -u ${wish.username ?? 'admin'}"],
    'a start with another table engine has a directory removed': ['...(dataDir === undefined', "...(dataDir === ''"],
    'a second start names a directory that has nothing to do with it': [
      'or remove ${dataDir},',
      'or remove .stockroom,',
    ],
  }),
  ...bugsIn('infra/local/services.ts', 'infra/local/runner#builds nothing', {
    'a data directory in use is found after the build': [
      'if (!dynamodbEndpoint || !s3Endpoint) onStop(lockDirectory(dataDir));',
      '',
    ],
    'settings of the first admin keep a start from its data': [
      "(dataDir === ':memory:' || !hasTableFile(dataDir))",
      'true',
      'infra/local/runner#keeps its data over a restart',
    ],
  }),
  ...bugsIn('infra/local/first-admin.ts', 'infra/local/runner#first admin', {
    'the first admin may have a password of one character': ['length < min || length > max', 'length > max'],
    'the first admin may have a password without end': ['length < min || length > max', 'length < min'],
    'a token file without a folder is found after the build': ['if (tokenFile === undefined) return;', 'return;'],
  }),
  ...bugsIn('infra/local/first-admin-worker.ts', 'infra/local/runner#first admin', {
    'a table without an admin gets any': ['  checkFirstAdmin(wish);\n', ''],
    "a first admin may be nobody's": [
      "  tell('about to create');\n  if (parentPort) await once(parentPort, 'message');\n",
      '',
      'infra/local/runner#tells of the first admin',
    ],
    'the token of the first admin is for every user of the machine': ['ownerOnly = 0o600', 'ownerOnly = 0o644'],
  }),
  ...bugsIn('shared/http/endpoint.ts', 'rights/caller-context', {
    'a request without a context comes from whom its headers name': [
      '({ requestContext }: APIGatewayProxyEvent): Principal | undefined =>\n  principalIn(requestContext.authorizer ?? {})',
      '({ requestContext, headers }: APIGatewayProxyEvent): Principal | undefined =>\n  principalIn(requestContext.authorizer ?? headers)',
    ],
    'a 500 says what failed': [
      "new ApiError('INTERNAL_ERROR', undefined, [], { cause: error })",
      "new ApiError('INTERNAL_ERROR', String(error), [], { cause: error })",
      'rights/leaked-secrets',
    ],
  }),
  ...bugsIn('shared/http/principal.ts', 'rights/caller-context', {
    'a part of a context will do': [
      'if (userId && username && (tokenId || passwordVersion))',
      'if (userId && username)',
    ],
  }),
  ...bugsIn('shared/table/identity/tokens.ts', 'rights/caller-context', {
    'a token without a date never expires': ['token.expirationDate === null ||', 'token.expirationDate == null ||'],
  }),
  ...bugsIn('shared/http/password-check.ts', 'rights/caller-context', {
    'any user name reaches the table': ['isUsername(username) ? [userKey(username)] : []', '[userKey(username)]'],
  }),
  ...bugsIn('shared/table/identity/password-checks.ts', 'functions/authorizer', {
    'as many passwords are checked as are sent': ['checksPerSecondMax = 250', 'checksPerSecondMax = 250_000'],
  }),
];
