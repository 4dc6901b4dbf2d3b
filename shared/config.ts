import { batchRepositoriesMax, recordRetentionDaysDefault, unusedTokenDaysDefault } from './limits.ts';

/**
 * The names of environment variables that functions read, and infra sets. This object is in every bundle: what few functions
 * read has a name of its own below.
 */
export const environment = {
  tableName: 'TABLE_NAME',
  storeBucket: 'STORE_BUCKET',
  upstreamKeyId: 'UPSTREAM_KEY_ID',
  upstreamAnswerMilliseconds: 'UPSTREAM_ANSWER_MILLISECONDS',
  fetcherFunction: 'FETCHER_FUNCTION',
  installation: 'INSTALLATION',
  verifierFunction: 'VERIFIER_FUNCTION',
  importerFunction: 'IMPORTER_FUNCTION',
  allowedPrivateUpstreams: 'ALLOWED_PRIVATE_UPSTREAMS',
  maxBatchRepositories: 'MAX_BATCH_REPOSITORIES',
  echoUpstreamPassword: 'ECHO_UPSTREAM_PASSWORD',
  unusedTokenDays: 'UNUSED_TOKEN_DAYS',
  readOnly: 'READ_ONLY',
  remembersAccess: 'REMEMBERS_ACCESS',
  recordRetentionDays: 'RECORD_RETENTION_DAYS',
  metricsNamespace: 'METRICS_NAMESPACE',
  firstAdminSecretArn: 'FIRST_ADMIN_SECRET_ARN',
  releaseCheckSecretArn: 'RELEASE_CHECK_SECRET_ARN',
  authorizerVersion: 'AUTHORIZER_VERSION',
} as const;

/** A variable. Throws if it is not set, or empty. The build writes the values of some into the bundle: they are passed. */
export const requiredVariable = (name: string, value = process.env[name]): string => {
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
};

/** A number of days, or the default where the variable has none. */
const daysOr = (fallback: number, value: string | undefined): number =>
  value !== undefined && /^[1-9]\d{0,3}$/.test(value) ? Number(value) : fallback;

let tableName: string | undefined;

/** The environment variable that is 'true' where nobody reads the log. It is set by tests that call `shared/` in their own process, and by the bench. */
const silentVariable = 'LOG_SILENT';

/** The configuration of a function, read when it is first needed. */
export const config = {
  /** The name is kept, because every action on the table needs it and reading a variable takes a microsecond. */
  get tableName(): string {
    tableName ??= requiredVariable(environment.tableName);
    return tableName;
  },
  /** The bucket that contains the published files. */
  get storeBucket(): string {
    return requiredVariable(environment.storeBucket);
  },
  /** The Region and the credentials of the function, which Lambda sets. */
  get awsAccess() {
    const { AWS_SESSION_TOKEN: sessionToken } = process.env;
    return {
      region: requiredVariable('AWS_REGION'),
      credentials: {
        accessKeyId: requiredVariable('AWS_ACCESS_KEY_ID'),
        secretAccessKey: requiredVariable('AWS_SECRET_ACCESS_KEY'),
        ...(sessionToken && { sessionToken }),
      },
    };
  },
  /** The URL of another engine in place of a service of AWS, where one is set. */
  engineOf: (service: string): string | undefined => process.env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`],
  /** The key that encrypts the passwords of upstreams. */
  get upstreamKeyId(): string {
    return requiredVariable(environment.upstreamKeyId);
  },
  /** The time that an upstream has for one answer, in milliseconds. Its other limits are parts of it. */
  get upstreamAnswerMilliseconds(): number {
    return Number(requiredVariable(environment.upstreamAnswerMilliseconds));
  },
  /** The name of the function that fetches files which take longer. */
  get fetcherFunction(): string {
    return requiredVariable(environment.fetcherFunction);
  },
  /** What no other installation of this service has. Requests to upstreams are marked with it. */
  get installation(): string {
    return requiredVariable(environment.installation);
  },
  /** The name of the function that verifies what was uploaded in parts. */
  get verifierFunction(): string {
    return requiredVariable(environment.verifierFunction);
  },
  /** The name of the function that imports advisories. */
  get importerFunction(): string {
    return requiredVariable(environment.importerFunction);
  },
  /** Hosts and CIDR ranges that are not public, but allowed as upstreams. */
  get allowedPrivateUpstreams(): readonly string[] {
    const list = process.env[environment.allowedPrivateUpstreams] ?? '';
    return list
      .split(',')
      .map((entry) => entry.trim().toLowerCase())
      .filter((entry) => entry !== '');
  },
  /** The maximum number of repositories in one batch, which the operator can lower but not raise. */
  get maxBatchRepositories(): number {
    const asked = Number(process.env[environment.maxBatchRepositories] ?? batchRepositoriesMax);
    return Number.isInteger(asked) && asked >= 1 ? Math.min(asked, batchRepositoriesMax) : batchRepositoriesMax;
  },
  /**
   * Whether the answer that creates a remote repository repeats the upstream password of the request. The default is
   * false.
   */
  get echoUpstreamPassword(): boolean {
    return process.env[environment.echoUpstreamPassword] === 'true';
  },
  /** After how many days without use a token counts as unused. */
  get unusedTokenDays(): number {
    return daysOr(unusedTokenDaysDefault, process.env[environment.unusedTokenDays]);
  },
  /** Whether the service accepts no changes, because an operator restores or moves its table. The default is false. */
  get isReadOnly(): boolean {
    return process.env[environment.readOnly] === 'true';
  },
  /** Whether everything that changes what a caller may do counts the access version: only then may a process remember it. */
  get remembersAccess(): boolean {
    return process.env[environment.remembersAccess] === 'true';
  },
  /** How long the records of changes are kept, in days. */
  get recordRetentionDays(): number {
    return daysOr(recordRetentionDaysDefault, process.env[environment.recordRetentionDays]);
  },
  /** Whether no line of the log is written. */
  get isSilent(): boolean {
    return process.env[silentVariable] === 'true';
  },
  /** The CloudWatch namespace of this stack's metrics. */
  get metricsNamespace(): string {
    return process.env[environment.metricsNamespace] || 'Stockroom';
  },
  /** The secret that holds the password of the first System Admin. */
  get firstAdminSecretArn(): string {
    return requiredVariable(environment.firstAdminSecretArn);
  },
  /** The secret of the user who signs in at a new authorizer. */
  get releaseCheckSecretArn(): string {
    return requiredVariable(environment.releaseCheckSecretArn);
  },
  /** The ARN of the version of the authorizer that a deployment brings. */
  get authorizerVersion(): string {
    return requiredVariable(environment.authorizerVersion);
  },
  /** The version of the release, which the build writes into the bundle. */
  get version(): string {
    return requiredVariable('STOCKROOM_VERSION', process.env.STOCKROOM_VERSION);
  },
};

/** The facts of all package types as JSON, which the build writes into the bundle. */
export const builtPackageTypes = (): string =>
  requiredVariable('STOCKROOM_PACKAGE_TYPES', process.env.STOCKROOM_PACKAGE_TYPES);

/** The environment variable with the keys that sign documents: the ARN of each, a space and its creation in seconds since 1970, between commas. */
export const signingKeysVariable = 'SIGNING_KEYS';

/** The environment variable with the address of the data of osv.dev, or of a mirror. */
export const advisoriesUrlVariable = 'ADVISORIES_URL';

/** The names of the variables of the door, and of the functions that take bodies from it. */
export const doorEnvironment = {
  doorKeyId: 'DOOR_KEY_ID',
  apiUrl: 'API_URL',
  edgeSecretArn: 'EDGE_SECRET_ARN',
} as const;

/** The environment variable with the number of bodies that may have a whole part in the memory of a door. */
export const uploadsMaxVariable = 'UPLOADS_MAX';

/** The environment variable with the URL that clients know the service by, where that is not the host of each request. */
export const publicUrlVariable = 'PUBLIC_URL';

/** A variable; undefined if it is not set, or empty. */
export const variable = (name: string): string | undefined => process.env[name] || undefined;

/** The environment variable that says `true` where nobody but CloudFront and the door can send the headers of the edge. */
export const trustsEdgeVariable = 'TRUSTS_EDGE';

/** Whether every request comes from CloudFront or the door. Apart from the others, so that a bundle has it only if it asks. */
export const trustsEdge = (): boolean => process.env[trustsEdgeVariable] === 'true';

/** The environment variable with the name of the header in which CloudFront hands the credential of a client to the front for reads. */
export const credentialHeaderVariable = 'CREDENTIAL_HEADER';

/** The environment variable with the key that signs addresses of files at CloudFront: its ID, a space, and the ARN of the secret that holds it. */
export const downloadKeyVariable = 'DOWNLOAD_KEY';

/** The environment variable with the log groups of the functions that serve files: for each, its package type, an equals sign and its name, between commas. */
export const downloadLogsVariable = 'DOWNLOAD_LOGS';

/** The names of the log groups of the functions that serve the files of a package type; `*` stands for all types. */
export const downloadLogsOf = (packageType: string): readonly string[] =>
  (process.env[downloadLogsVariable] ?? '')
    .split(',')
    .map((entry) => entry.split('='))
    .flatMap(([type, group]) => (type === packageType || type === '*' ? (group ?? []) : []));
