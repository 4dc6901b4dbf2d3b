import { bugsIn, type Mutant } from './mutant.ts';

const template = ['~infra/template#the template of prod'];

/** Bugs in what `cdk deploy` creates: what is stored, called and let in. */
export const stackMutants: readonly Mutant[] = [
  ...bugsIn('infra/api/traces.ts', '~infra/template', {
    'a request with a token in its path is traced': ['fixedRate: 0 }', 'fixedRate: 1 }'],
    'reads of packages are traced as often as everything': ['tracedReads = 0.005', 'tracedReads = 0.05'],
    'the traces of other APIs of the account are decided, too': ['`${name}/${stageName}`', "'*'"],
  }),
  ...bugsIn('infra/api/api-document.ts', 'infra/routes', {
    'every route is open': ['isOpen(endpoint) ? [] :', 'endpoint ? [] :'],
    'bodies reach the functions as text': ["['*/*']", "['application/octet-stream']"],
    'answers of the authorizer are kept for an hour': [
      'authorizerResultTtlInSeconds: 300',
      'authorizerResultTtlInSeconds: 3600',
    ],
    'the authorizer goes by another header': ['request.header.Authorization', 'request.header.X-Api-Key'],
    'functions get the request without its path': ["type: 'aws_proxy'", "type: 'aws'"],
    'the API calls the newest version, not the live one': [
      '}:${liveAlias}/invocations',
      '}/invocations',
      'infra/routes',
    ],
  }),
  ...bugsIn('infra/api/api.ts', template, {
    'open routes share the throttle of all': ['throttlingRateLimit: 20,', 'throttlingRateLimit: 2_000,'],
    'pipelines share a throttle that one of them fills': [
      'throttlingRateLimit: 200,',
      'throttlingRateLimit: 20,',
      '~infra/strangers',
    ],
    'headers and bodies are logged': ['dataTraceEnabled: false', 'dataTraceEnabled: true'],
    'the access log has the path, and with it a token': ['$context.resourcePath', '$context.path'],
    'old versions of TLS are welcome': ['EndpointAccessMode.STRICT', 'EndpointAccessMode.BASIC'],
    'one method may call every function': ['`${stageName}/${method}${path}`', '`${stageName}/*`'],
    'the API stays reachable past its domain': [
      'disableExecuteApiEndpoint: settings.domain !== null',
      'disableExecuteApiEndpoint: false',
      '~infra/settings#reach the template',
    ],
    'the throttle of the settings is passed over': [
      'throttlingRateLimit: settings.throttle.requestsPerSecond',
      'throttlingRateLimit: 10_000',
    ],
  }),
  ...bugsIn('infra/stack.ts', ['~infra/template#the template of dev has at most twelve'], {
    'findings of cdk-nag are not looked for': ['new AwsSolutionsChecks(), ', ''],
    'the base URL of a domain is not encrypted': [
      '`https://${settings.domain.name}`',
      '`http://${settings.domain.name}`',
      '~infra/settings#reach the template',
    ],
  }),
  ...bugsIn('infra/api/domain.ts', '~infra/settings#reach the template', {
    'a domain has no IPv6': ["new AaaaRecord(this, 'Address6', record);", ''],
    'a domain takes old versions of TLS': ['      ...transportSecurity,\n', ''],
  }),
  ...bugsIn('infra/table.ts', template, {
    'the table cannot be restored': ['pointInTimeRecoveryEnabled: true', 'pointInTimeRecoveryEnabled: false'],
    'the table can be deleted by mistake': ['deletionProtection: keepsData', 'deletionProtection: false'],
    'the table goes with the stack': [
      'const removalPolicy = keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;\n    super(scope, id, {\n      partitionKey',
      'const removalPolicy = RemovalPolicy.DESTROY;\n    super(scope, id, {\n      partitionKey',
    ],
    'the key of the table is for every account': ["'kms:CallerAccount': Aws.ACCOUNT_ID,", ''],
    'the key of the table is for every service': ["'kms:ViaService': `dynamodb.${Aws.REGION}.${Aws.URL_SUFFIX}`,", ''],
    'expired items stay': ['timeToLiveAttribute: tableSchema.timeToLive,', ''],
    'writes have no ceiling': [
      '      maxWriteRequestUnits: table.writeUnitsPerSecondMax,\n      pointInTime',
      '      pointInTime',
    ],
  }),
  ...bugsIn('infra/store.ts', template, {
    'objects may be public': [
      'BlockPublicAccess.BLOCK_ALL',
      'new BlockPublicAccess({ blockPublicPolicy: false, restrictPublicBuckets: false })',
    ],
    'the bucket takes plain HTTP': ['enforceSSL: true', 'enforceSSL: false'],
    'blobs may be overwritten': ["Null: { 's3:if-none-match': 'true', 's3:if-match': 'true' },\n          ", ''],
    'a page may read the bucket': ['HttpMethods[pageUploads.method]', 'HttpMethods.GET'],
    'published files expire': ["prefix: 'staging/', expiration", "prefix: '', expiration"],
    'unfinished uploads are paid for ever': [
      "        { id: 'unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },\n",
      '',
    ],
    'a right on one prefix is one on all objects': ['store.arnForObjects(objects)', "store.arnForObjects('*')"],
  }),
  ...bugsIn('infra/api/upstream-key.ts', template, {
    'the key decrypts without naming a repository': ["'kms:EncryptionContext:repositoryId': 'false'", ''],
    'the key decrypts for further names': [
      "'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['workspaceId', 'repositoryId'] },",
      '',
    ],
    'the key never rotates': ['enableKeyRotation: true', 'enableKeyRotation: false'],
    'who encrypts may decrypt': ["statementFor('kms:Encrypt')", "statementFor('kms:*')"],
  }),
  ...bugsIn('infra/api/function.ts', template, {
    'constructs of CDK may add rights to a role': ['role: role.withoutPolicyUpdates()', 'role'],
    'a function writes to every log': ['resources: [logGroup.logGroupArn]', "resources: ['*']"],
    'a hanging function outlives its request': ['timeout: Duration.seconds(14)', 'timeout: Duration.seconds(60)'],
    'functions have the least memory': ['memorySize: 1024', 'memorySize: 128'],
    'the platform logs each request': ['systemLogLevelV2: SystemLogLevel.WARN,', ''],
    'functions are not traced': ['tracing: Tracing.ACTIVE', 'tracing: Tracing.DISABLED'],
  }),
  ...bugsIn('infra/api/functions.ts', template, {
    'a reservation reaches no function that asks upstreams': [
      '...(endpoint.decrypts && askingConcurrency),',
      '',
      'infra/settings#reserve concurrency',
    ],
    'wrong passwords may use up the account': ['settings.authorizerConcurrency ?? undefined', 'undefined'],
    'npm login may use up the account': [
      '...((endpoint.authenticates || endpoint.checksPasswords) && provingConcurrency),',
      '',
    ],
    'a function that encrypts may decrypt': [
      'encrypts ? [upstreamKey.encryptStatement()]',
      'encrypts ? [upstreamKey.encryptStatement(), upstreamKey.decryptStatement()]',
    ],
    'the size of a batch is not that of the settings': [
      '`${settings.batchRepositoriesMax}`',
      "'100'",
      '~infra/settings#reach the template',
    ],
    'upstream passwords are echoed whatever the settings': [
      '`${settings.echoUpstreamPassword}`',
      "'true'",
      '~infra/settings#leave the echo',
    ],
    'a request to an upstream is cut off early': ['timeout: Duration.seconds(29)', 'timeout: Duration.seconds(10)'],
    'a new function goes live without its canary': ['releases.aliasOf(lambda, endpoint.isHot === true);', ''],
  }),
  ...bugsIn('infra/api/rights.ts', 'infra/api/rights', {
    'every function may read the table': [
      "access === 'public' ? table :",
      "access === 'public' ? union(table, ['Query']) :",
    ],
    'the live version loses a right before its alias moves': ['union(one.table, other.table)', 'one.table'],
    'a function that does not know its caller runs': ["union(table, ['BatchGetItem'])", 'table'],
  }),
  ...bugsIn('infra/released-rights.ts', 'infra/api/rights', {
    'the tag of a release forgets the one that it is deployed beside': ['.slice(-2)', '.slice(-1)'],
    'a release is recorded twice': ['version !== release.version', "version !== ''"],
  }),
  ...bugsIn('infra/api/log.ts', template, {
    'lines of the log are kept for ever': ['      retention: logRetentionDays,\n', '      retention: Infinity,\n'],
    'the log goes with the stack': [
      'keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY',
      'RemovalPolicy.DESTROY',
    ],
  }),
  ...bugsIn('infra/api/fetcher.ts', template, {
    'a failed fetch is tried again': ['retryAttempts: 0', 'retryAttempts: 2'],
    'slow upstreams may use up the account': ['settings.fetcherConcurrency ?? undefined', 'undefined'],
    'a fetch may begin when nobody waits any more': [
      'maxEventAge: Duration.minutes(2)',
      'maxEventAge: Duration.hours(6)',
    ],
    'fetches are cut off after a minute': ['Duration.minutes(15)', 'Duration.minutes(1)'],
    'an upstream has longer than the gateway waits': ['Duration.seconds(20)', 'Duration.seconds(60)'],
  }),
  ...bugsIn('infra/api/first-admin.ts', template, {
    'the first password is short': ['passwordLength: 32', 'passwordLength: 8'],
    'a lost answer holds up the deployment': ['serviceTimeout: Duration.minutes(5),', ''],
    'whoever makes the first admin reads every secret': [
      "actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn]",
      "actions: ['secretsmanager:*'], resources: [secret.secretArn]",
    ],
  }),
];
