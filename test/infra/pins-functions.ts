import { Match } from 'aws-cdk-lib/assertions';
import { endpoints } from '../../functions/endpoints.ts';
import { functionIdMetadata } from '../../infra/api/function-metadata.ts';
import { about, exactly, named, type Pin } from './pin.ts';
import { arn } from './pins-edge.ts';

/** The check of a release is a function only where releases are gradual. */
const functionCountOf = (hasCanaries: boolean): number => endpoints.length + (hasCanaries ? 7 : 6);
/** What API Gateway calls: the endpoints and the authorizer. */
export const aliasCount = endpoints.length + 1;

/** The construct of the function of an endpoint: `GetNpmDocument` for `npm/get-npm-document`. */
export const constructOf = (id: string): string =>
  (id.split('/')[1] ?? '').replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const alternatives = (of: typeof endpoints): string => of.map(({ id }) => id).join('|');

/** The functions that ask upstreams. */
const fetching = alternatives(endpoints.filter(({ decrypts }) => decrypts));

/** Those, and the ones that copy large files. */
const slow = `(${alternatives(endpoints.filter(({ decrypts, isLong }) => decrypts || isLong))})`;

/** The functions that take credentials before anybody proved who calls. */
const hashing = 'authorizer|npm/create-npm-token|sessions/create-session|sessions/renew-session';

const functionsNamed = (ids: string) =>
  ['AWS::Lambda::Function', { Metadata: { [functionIdMetadata]: Match.stringLikeRegexp(ids) } }] as const;
const variables = (held: object) => ({ Environment: { Variables: held } });
const anyLog = Match.stringLikeRegexp('Log[0-9A-F]{8}$');

/** What is reserved. A new account has a concurrency of ten, which cannot be divided. */
interface Concurrency {
  readonly authorizer?: number;
  readonly fetcher?: number;
  /** Whether releases are gradual, and checked. */
  readonly hasCanaries: boolean;
}

const reserved = (concurrency: number | undefined): string => (concurrency === undefined ? 'not reserved' : 'reserved');

const checkPins = about(functionsNamed('^release-check$'), {
  'the check of a release calls the new version of the authorizer': [
    1,
    {
      Timeout: 60,
      ...variables({
        AUTHORIZER_VERSION: {
          Ref: Match.stringLikeRegexp('^FunctionsAuthorizerFunctionCurrentVersion[0-9A-F]{8}[0-9a-f]{32}$'),
        },
        RELEASE_CHECK_SECRET_ARN: { Ref: named('ReleasesCheckSecret') },
      }),
    },
  ],
});

/** The functions: what runs, for how long, and what the operator sets. */
export const functionPins = (name: string, concurrency: Concurrency): readonly Pin[] => [
  ...about('AWS::Lambda::Function', {
    'one function per endpoint, and those of the stack': functionCountOf(concurrency.hasCanaries),
    'functions run on Node 24': { Runtime: 'nodejs24.x' },
    'functions run on arm64': { Architectures: ['arm64'] },
    'functions are traced by X-Ray': { TracingConfig: { Mode: 'Active' } },
    'the metrics of stages stay apart': variables({ METRICS_NAMESPACE: name }),
    'records of changes are kept for as long as the operator says': variables({ RECORD_RETENTION_DAYS: '400' }),
    'the platform logs what goes wrong, and nothing else': {
      LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'WARN' },
    },
    'functions write to a log group of their own': { LoggingConfig: { LogGroup: { Ref: anyLog } } },
  }),
  ...about(functionsNamed('^(?!(?:verifier|importer)$)'), { 'functions have 1,024 MB': { MemorySize: 1024 } }),
  ...about(functionsNamed('^verifier$'), {
    'the function that hashes large files has a whole processor': { MemorySize: 1769 },
    'a run of it ends after a quarter of an hour': { Timeout: 900 },
  }),
  ...about(functionsNamed('^importer$'), {
    'the function that imports advisories has a whole processor': { MemorySize: 1769 },
    'an import goes on after a quarter of an hour': { Timeout: 900 },
  }),
  ...about(functionsNamed('^.+/.+$'), {
    'one function per endpoint': endpoints.length,
    'the operator sets the size of a batch': variables({ MAX_BATCH_REPOSITORIES: '100' }),
    'the operator says when a token is unused': variables({ UNUSED_TOKEN_DAYS: '90' }),
    'the operator allows private upstreams': variables({ ALLOWED_PRIVATE_UPSTREAMS: '' }),
  }),
  ...about(functionsNamed(`^(?!${slow}$).+/.+$`), {
    'a request ends after 14 seconds, long after its budget of eight and before the 29 of API Gateway': { Timeout: 14 },
  }),
  ...about(functionsNamed(`^${slow}$`), {
    'a request that asks an upstream or copies a large file ends when API Gateway waits no longer': { Timeout: 29 },
  }),
  ...about(functionsNamed('^authorizer$'), { 'the authorizer ends after 14 seconds': { Timeout: 14 } }),
  ...about(functionsNamed(`^(${hashing})$`), {
    [`the concurrency of the functions that anybody can make hash a password is ${reserved(concurrency.authorizer)}`]: {
      ReservedConcurrentExecutions: concurrency.authorizer ?? Match.absent(),
    },
  }),
  ...about(functionsNamed('^fetcher$'), {
    'a long fetch ends after a quarter of an hour': { Timeout: 900 },
    [`the concurrency of long fetches is ${reserved(concurrency.fetcher)}`]: {
      ReservedConcurrentExecutions: concurrency.fetcher ?? Match.absent(),
    },
  }),
  ...about(functionsNamed(`^(fetcher|${fetching})$`), {
    'an upstream has 20 seconds for an answer': variables({ UPSTREAM_ANSWER_MILLISECONDS: '20000' }),
    'the operator allows private upstreams to those who ask them': variables({ ALLOWED_PRIVATE_UPSTREAMS: '' }),
  }),
  ...about(functionsNamed(`^(?!(${hashing}|fetcher)$)`), {
    'that of other functions is not': { ReservedConcurrentExecutions: Match.absent() },
  }),
  ...about(functionsNamed('^sweeper$'), { 'a sweep ends after five minutes': { Timeout: 300 } }),
  ...about(functionsNamed('^first-admin$'), {
    'the first admin is made with the secret': variables({
      FIRST_ADMIN_SECRET_ARN: { Ref: named('FirstAdminPassword') },
    }),
  }),
  ...(concurrency.hasCanaries ? checkPins : []),
  ...about('AWS::Lambda::Alias', { 'API Gateway calls what is live': [aliasCount, { Name: 'live' }] }),
];

export const rolesOf = (service: string) =>
  ['AWS::IAM::Role', { AssumeRolePolicyDocument: { Statement: [{ Principal: { Service: service } }] } }] as const;
/** Each action that a statement of a function's role names is a right of its own here. */
const rightsTo = (actions: string) => ['Right', { Action: Match.stringLikeRegexp(actions) }] as const;

/** The parameter with the log of a function of another nested stack. */
const anyLogArn = 'Log[0-9A-F]{8}Arn$';

const authorizer = named('FunctionsAuthorizerFunction');

const signing = endpoints.filter(({ signs }) => signs).length;

/** Where nobody signs, no breach could turn them red. */
const signaturePins: readonly Pin[] =
  signing === 0
    ? []
    : about(rightsTo('^kms:(Sign|GetPublicKey)$'), {
        'those that sign may use the key of signatures alone': [
          2 * signing,
          { Resource: exactly({ Ref: Match.stringLikeRegexp('SigningKeysfirst[0-9A-F]{8}Arn$') }) },
        ],
      });

const rightsOfCheck: readonly Pin[] = [
  ...about(['Right', { Action: 'lambda:InvokeFunction', Resource: { 'Fn::Join': Match.anyValue() } }], {
    'the check of a release may call a version of the authorizer': [
      1,
      { Resource: exactly({ 'Fn::Join': ['', [{ 'Fn::GetAtt': [authorizer, 'Arn'] }, ':*']] }) },
    ],
  }),
  ...about(rightsTo('^codedeploy:'), {
    'the check of a release may answer for one deployment group': [
      1,
      {
        Action: 'codedeploy:PutLifecycleEventHookExecutionStatus',
        Resource: arn(
          'codedeploy',
          ':',
          { Ref: 'AWS::AccountId' },
          ':deploymentgroup:',
          { Ref: named('ReleasesApplication') },
          '/Stockroom-prod-authorizer',
        ),
      },
    ],
  }),
];

/** What no function may have more of. */
export const rightsPins = (hasCanaries: boolean): readonly Pin[] => [
  ...about(rolesOf('lambda.amazonaws.com'), {
    'each function has a role of its own': functionCountOf(hasCanaries),
    'no function has a policy of AWS': { ManagedPolicyArns: Match.absent() },
  }),
  ...about('AWS::IAM::Policy', { 'no policy stands beside the roles': 0 }),
  ...about('AWS::IAM::ManagedPolicy', { 'no managed policy is made': 0 }),
  ...about(rightsTo('^logs:(?!FilterLogEvents$)'), {
    'functions write to the log by two actions': [
      2 * functionCountOf(hasCanaries),
      { Action: Match.stringLikeRegexp('^logs:(CreateLogStream|PutLogEvents)$') },
    ],
    'functions write to their own log alone': { Resource: exactly({ 'Fn::GetAtt': [anyLog, 'Arn'] }) },
  }),
  ...about(rightsTo('^logs:FilterLogEvents$'), {
    'one function may search the logs of those that serve files': [
      1,
      {
        Resource: endpoints
          .filter(({ servesFiles }) => servesFiles)
          .map(() => ({ Ref: Match.stringLikeRegexp(anyLogArn) })),
      },
    ],
  }),
  ...about(['Right', { Resource: '*' }], {
    'only X-Ray has the wildcard': [
      2 * functionCountOf(hasCanaries),
      {
        Properties: exactly({
          Action: Match.stringLikeRegexp('^xray:(PutTelemetryRecords|PutTraceSegments)$'),
          Effect: 'Allow',
          Resource: '*',
        }),
      },
    ],
  }),
  ...about(rightsTo('^kms:(En|De)crypt$'), {
    'the functions that store passwords of upstreams, and those that ask upstreams, may use a key for a named repository of a named workspace':
      {
        Condition: exactly({
          'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['workspaceId', 'repositoryId'] },
          Null: { 'kms:EncryptionContext:workspaceId': 'false', 'kms:EncryptionContext:repositoryId': 'false' },
        }),
      },
  }),
  ...about(rightsTo('^kms:Encrypt$'), { 'two functions may encrypt': 2 }),
  ...about(rightsTo('^kms:Decrypt$'), {
    'those that ask upstreams may decrypt': endpoints.filter(({ decrypts }) => decrypts).length + 1,
  }),
  ...signaturePins,
  ...about(['Right', { Action: 'lambda:InvokeFunction', Resource: { Ref: Match.anyValue() } }], {
    'those that hand work over may let one function run': [
      endpoints.filter(({ invokes }) => invokes).length,
      {
        Action: 'lambda:InvokeFunction',
        Resource: exactly({
          Ref: Match.stringLikeRegexp('(FetchingFetcher|VerifyingVerifier|ImportingImporter)Function[0-9A-F]{8}Arn$'),
        }),
      },
    ],
  }),
  ...about(rightsTo('^secretsmanager:'), {
    'each secret is read by one function': [hasCanaries ? 2 : 1, { Action: 'secretsmanager:GetSecretValue' }],
  }),
  ...(hasCanaries ? rightsOfCheck : []),
  ...about(['Right', { Resource: { 'Fn::GetAtt': [named('Table'), 'Arn'] } }], {
    'functions of the stack may do with the table what their work needs': hasCanaries ? 27 : 25,
  }),
  ...about(rightsTo('^sqs:'), { 'one function may send to a queue': [1, { Action: 'sqs:SendMessage' }] }),
  ...about('Right', {
    'there is no right to anything else, and none is denied': {
      Action: Match.stringLikeRegexp(
        `^(logs|xray|dynamodb|s3|kms|lambda|secretsmanager|sqs${hasCanaries ? '|codedeploy' : ''}):\\w+$`,
      ),
      Effect: 'Allow',
    },
  }),
];
