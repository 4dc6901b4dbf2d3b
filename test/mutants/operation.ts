import { bugsIn, type Mutant } from './mutant.ts';

const template = ['~infra/template#the template of prod'];

/** Bugs in what the operator sees and sets: alarms, releases, the firewall, settings. */
export const operationMutants: readonly Mutant[] = [
  ...bugsIn('infra/operation/monitoring.ts', template, {
    'a backlog rings after an hour': ['.with({ period: Duration.hours(6) })', ''],
    'no alarm reaches anybody': ['made.addAlarmAction(notify);', ''],
    'a rollback reaches nobody': ['for (const alarm of releases.alarms) alarm.addAlarmAction(notify);', ''],
    'no alarm may write to the topic': [
      "principals: [new ServicePrincipal('cloudwatch.amazonaws.com')]",
      "principals: [new ServicePrincipal('events.amazonaws.com')]",
    ],
    'alarms of other accounts may write to the topic': [
      "'aws:SourceAccount': Aws.ACCOUNT_ID",
      "'aws:SourceAccount': '*'",
    ],
    'the address of the operator is not written to': ['if (email) {', 'if (!email) {'],
    'an alarm wants two periods in a row': ['evaluationPeriods: periods', 'evaluationPeriods: periods + 1'],
    'functions that Lambda does not call are no alarm': [
      "metric: ofAllFunctions('Throttles', 'Sum', 'throttled'),\n    above: 0",
      "metric: ofAllFunctions('Throttles', 'Sum', 'throttled'),\n    above: 1_000",
    ],
    'a pipe that fails is no alarm': ['metric: metrics.failedEvents(),', 'metric: metrics.undeliveredEvents(),'],
    'a denied right is no alarm': [
      "metric: metrics.counted('accessDenials', 'denied by AWS'),\n    above: 0",
      "metric: metrics.counted('accessDenials', 'denied by AWS'),\n    above: 10",
    ],
  }),
  ...bugsIn('RUNBOOK.md', 'documents/restore-lines', {
    'a restore goes on after an error': ['set -eu', ''],
    'a restore changes a table that is still being changed': ['> /dev/null; active; }', '> /dev/null; }'],
  }),
  ...bugsIn('infra/stack.ts', template, {
    'the runbook does not find the table': ["output('TableName', table.tableName, 'The table in use');", ''],
  }),
  ...bugsIn('infra/operation/watches.ts', template, {
    'alarms ring below their thresholds': [
      'ComparisonOperator.GREATER_THAN_THRESHOLD',
      'ComparisonOperator.LESS_THAN_THRESHOLD',
    ],
    'no requests ring the alarms': ['TreatMissingData.NOT_BREACHING', 'TreatMissingData.BREACHING'],
  }),
  ...bugsIn('infra/operation/metrics.ts', template, {
    'metrics are of an hour': ['const period = Duration.minutes(5)', 'const period = Duration.hours(1)'],
    'counted metrics have no dimension': ['dimensionsMap: { [metricDimensions.service]: serviceName },', ''],
    'a broken configuration of the authorizer is no failure': ["'AUTHORIZER_CONFIGURATION_ERROR'", "'UNAUTHORIZED'"],
    'a single slow request at night is an alarm': ['IF(requests > 100, slowest, 0)', 'IF(requests > 0, slowest, 0)'],
    'throttled calls are those of one function': [
      "namespace: 'AWS/Lambda', metricName, statistic, period, label",
      "namespace: 'AWS/Lambda', metricName, dimensionsMap: { FunctionName: 'authorizer' }, statistic, period, label",
    ],
    'the failures of the pipe are those of all pipes': ['dimensionsMap: { PipeName: this.props.events.pipeName },', ''],
    'a hundredth of the faults counts': ['100 * faults / requests', 'faults / requests'],
    'failures of the authorizer are counted elsewhere': [
      "metricNamespace: props.name,\n        metricName: 'authorizerFailures'",
      "metricNamespace: 'Stockroom',\n        metricName: 'authorizerFailures'",
    ],
  }),
  ...bugsIn('infra/api/faults.ts', template, {
    'the second front makes no requests': [
      "ofFunctions(namespace, 'requests', period)",
      "apiMetric(namespace, 'Count', {})",
    ],
    'faults of the gateway do not count': ['FILL(functions, 0) + FILL(gateway, 0)', 'FILL(functions, 0)'],
    'refusals count as faults of the gateway': ["'$.status', '=', '5*'", "'$.status', '=', '4*'"],
    'answers of functions count as faults of the gateway': ["'$.errorType', '!=', '-'", "'$.errorType', '!=', ''"],
  }),
  ...bugsIn('infra/api/releases.ts', template, {
    'a failing release stays': ['deploymentInAlarm: true', 'deploymentInAlarm: false'],
    'the alarm of a release looks at an hour': [
      'percentOfFaults(props.name, Duration.minutes(1))',
      'percentOfFaults(props.name, Duration.hours(1))',
    ],
    'a front that crashes goes live': ['alarms: [faults, crashes]', 'alarms: [faults]', '~infra/front'],
    'a release is rolled back without traffic': ['TreatMissingData.NOT_BREACHING', 'TreatMissingData.BREACHING'],
    'a new version gets all calls at once': ['CANARY_10PERCENT_5MINUTES', 'ALL_AT_ONCE'],
    'the deployer may change every function of the account': ['function:${Aws.STACK_NAME}-*`', 'function:*`'],
    'the deployer may do everything with aliases': ["'lambda:UpdateAlias'", "'lambda:*'"],
  }),
  ...bugsIn('infra/operation/sweeper.ts', template, {
    'sweeps run once a week': ['Duration.hours(1)', 'Duration.days(7)'],
    'a sweep that fails is gone': ['onFailure: new SqsDestination(this.failures),', ''],
    'failed sweeps are kept for an hour': ['Duration.days(14)', 'Duration.hours(1)'],
    'a sweep is cut off at once': ['timeout: Duration.minutes(5)', 'timeout: Duration.seconds(5)'],
  }),
  ...bugsIn('infra/edge/firewall.ts', template, {
    'samples of the firewall show credentials': ['sampledRequestsEnabled: false', 'sampledRequestsEnabled: true'],
    'strangers hide behind percent-encoding': ["type: 'URL_DECODE'", "type: 'NONE'", '~infra/strangers'],
    'behind CloudFront all clients are one address': ['name: viewerHeader', "name: 'host'", '~infra/strangers'],
    'one address may flood the API': ['settings.requestsPerFiveMinutesPerAddress', '2_000_000_000'],
    'one address may guess as many passwords as it sends requests': [
      'settings.passwordsPerFiveMinutesPerAddress',
      'settings.requestsPerFiveMinutesPerAddress',
    ],
    'one address may sign in as often as it sends requests': [
      'settings.signInsPerFiveMinutesPerAddress',
      'settings.requestsPerFiveMinutesPerAddress',
      '~infra/strangers',
    ],
    'one address may ask for what is open as often as for anything': [
      'settings.openRequestsPerFiveMinutesPerAddress',
      'settings.requestsPerFiveMinutesPerAddress',
      '~infra/strangers',
    ],
    'an encoded letter hides a sign-in': [
      'matching(regexString, { uriPath: {} }, decoded)',
      'matching(regexString, { uriPath: {} })',
    ],
    'one credential may flood the API from many addresses': [
      'settings.requestsPerFiveMinutesPerCredential',
      '2_000_000_000',
    ],
    'tokens as passwords are limited like passwords': [
      '{ notStatement: { statement: withToken } }',
      'matching(basicPatterns.any, header)',
    ],
    'a throttled client is not told when to come back': [
      "{ ...responseHeaders, 'Retry-After': '60' }",
      'responseHeaders',
    ],
    'the firewall counts and stops nothing': ['overrideAction: { none: {} }', 'overrideAction: { count: {} }'],
    'what no rule stops is stopped': ['defaultAction: { allow: {} }', 'defaultAction: { block: {} }'],
    'tools without a name are stopped': ["  'NoUserAgent_HEADER',\n", ''],
    'files that end in .log are stopped': ["  'RestrictedExtensions_URIPATH',\n", ''],
    'the firewall stands before nothing': ['/stages/${deploymentStage.stageName}`', '/stages/prod`'],
    'a package with two dots in its version cannot be managed': ["  'GenericLFI_URIPATH',\n", ''],
  }),
  ...bugsIn('shared/error-kinds.ts', 'requests/malformed-requests#not encoded', {
    'nobody is told how a slash inside a name is sent': [
      ' at /docs, and send a slash inside a name as %2F, as in @acme%2Fweb.',
      ' at /docs.',
    ],
    'nobody is told the username of a token': [
      " (as a password, with the username 'token')",
      '',
      'functions/authorizer#whatever is wrong',
    ],
  }),
  ...bugsIn('infra/api/gateway-responses.ts', template, {
    'a function that is late is a 500': [
      "INTEGRATION_TIMEOUT: 'SERVICE_UNAVAILABLE'",
      "INTEGRATION_TIMEOUT: 'INTERNAL_ERROR'",
    ],
    'a throttled request is a 400': ["THROTTLED: 'RATE_LIMITED'", "THROTTLED: 'REQUEST_INVALID'"],
    'a failing authorizer is a 401': [
      "AUTHORIZER_FAILURE: 'SERVICE_UNAVAILABLE'",
      "AUTHORIZER_FAILURE: 'UNAUTHENTICATED'",
    ],
    'a 401 of the gateway names no scheme': [
      "...(status === 401 && { 'WWW-Authenticate': authenticateChallenge }),",
      '',
    ],
    'refusals of the gateway name no request': ["'gatewayresponse.header.X-Request-Id': 'context.requestId',", ''],
  }),
  ...bugsIn('shared/http/problem.ts#refusalBody', template, {
    'npm prints no reason of the gateway': ['return { ...body, error: body.detail };', 'return body;'],
  }),
  ...bugsIn('infra/settings.ts', '~infra/settings#the settings of a stage', {
    'a setting that there is not is passed over': [
      'if (violations.length === 0)',
      "if (violations.every(({ rule }) => rule === 'unknown'))",
    ],
    'the log may be kept for ever': ["typeof days === 'number' && days !== RetentionDays.INFINITE", 'true'],
    'a batch may be larger than a transaction': ['maximum: batchRepositoriesMax }', 'maximum: 1_000 }'],
    'a wrong address gets the alarms': ["'^[^@\\\\s]+@[^@\\\\s]+$'", "'.'"],
  }),
  ...bugsIn('infra/app.ts', 'infra/synthesis', {
    'a wrong setting is a success': ['process.exitCode = 1;', ''],
  }),
  ...bugsIn('infra/api/bundles.ts', 'laws/bundles', {
    'bundles hold the whole chain of credentials': [
      'credential-provider-node|middleware-endpoint-discovery',
      'middleware-endpoint-discovery',
    ],
    'bundles are not minified': ['minify: true', 'minify: false'],
  }),
  ...bugsIn('infra/api/built-contracts.ts', ['functions/users/create-user', 'functions/workspaces/create-workspace'], {
    'a validator stops at the first broken rule': ['allErrors: true', 'allErrors: false'],
  }),
  ...bugsIn('infra/api/built-contracts.ts', ['samples/samples-stack'], {
    'a schema that is none is built': ['void ofSchemas.validateSchema(shape, true);', ''],
  }),
];
