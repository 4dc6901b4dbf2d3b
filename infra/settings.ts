import { Ajv } from 'ajv';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { definitions } from '../functions/package-definitions.ts';
import { array, type Infer, object, schema } from '../shared/http/schema.ts';
import type { Validator } from '../shared/http/validation.ts';
import { fieldName, violationsOf } from '../shared/http/validation.ts';
import { batchRepositoriesMax, recordRetentionDaysMax, unusedTokenDaysMax } from '../shared/limits.ts';

/** The retention times in days that CloudWatch Logs offers, without the unlimited one. */
const retentionDays = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === 'number' && days !== RetentionDays.INFINITE,
);

const hostedZone = object({
  id: schema({ type: 'string', pattern: '^Z[A-Z0-9]+$', allowed: 'the ID of a Route 53 zone, such as Z0123456789' }),
  name: schema({ type: 'string', minLength: 1, maxLength: 253 }),
});

const domain = object({
  name: schema({
    type: 'string',
    pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)+$',
    allowed: 'a host name in lower case, such as stockroom.example.com',
  }),
  certificateArn: schema({
    type: 'string',
    pattern: '^arn:[a-z-]+:acm:[a-z0-9-]+:\\d{12}:certificate/.+$',
    allowed: 'the ARN of an ACM certificate of the same Region',
  }),
  hostedZone: { ...hostedZone, type: ['object', 'null'], allowed: 'an object with id and name, or null' } as const,
});

/** What a stage needs whose large bodies are received beside API Gateway. */
const door = object({
  /** For the host name of `domain` at CloudFront, which takes certificates of one Region only. */
  certificateArn: schema({
    type: ['string', 'null'],
    pattern: '^arn:[a-z-]+:acm:us-east-1:\\d{12}:certificate/.+$',
    allowed: 'the ARN of an ACM certificate of us-east-1, or null',
  }),
  /** The values of the edge's secret that are accepted, of which CloudFront sends the first. Two only while they are exchanged. */
  edgeSecrets: array(schema({ type: 'string', enum: ['first', 'second'] }), { minItems: 1, maxItems: 2 }),
  /** The processor of one task of Fargate, of which 1,024 are one. */
  processorUnits: schema({ type: 'integer', enum: [256, 512, 1_024] }),
  /** Maximum number of environments of the web function, or of tasks. */
  instancesMax: schema({ type: 'integer', minimum: 2, maximum: 100 }),
});

/** A key that signs documents: one of those that the stack makes, or one that the team brought along. */
const signingKey = object({
  key: schema({
    type: 'string',
    pattern: '^(first|second|arn:[a-z-]+:kms:[a-z0-9-]+:\\d{12}:key/[a-z0-9-]+)$',
    allowed: 'first, second, or the ARN of a key of KMS',
  }),
  /** When the key was made, in seconds since 1970, as its certificate says: a part of its fingerprint. It never changes. */
  createdAt: schema({ type: 'integer', minimum: 1, maximum: 4_000_000_000 }),
});

/** A key that signs addresses of files at CloudFront. */
const downloadKey = object({
  /** The public key of the curve P-256 in base64 (DER): what the base64 of each of them begins with, and its point. */
  publicKey: schema({
    type: 'string',
    pattern: '^MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE[A-Za-z0-9+/]{86}==$',
    allowed: 'a public key of the curve P-256 in base64, without the lines of PEM',
  }),
  /** The secret that holds the private key, PEM. */
  secretArn: schema({
    type: 'string',
    pattern: '^arn:[a-z-]+:secretsmanager:[a-z0-9-]+:\\d{12}:secret:[^\\s*?]+-[A-Za-z0-9]{6}$',
    allowed: 'the whole ARN of a secret, with the six characters at its end',
  }),
});

const advisedTypes = definitions.flatMap(({ name, ecosystem }) => (ecosystem === undefined ? [] : [name]));

/** The limits that a rule of the firewall can have. */
const requestsPerFiveMinutes = schema({ type: 'integer', minimum: 10, maximum: 2_000_000_000 });

const settings = object({
  keepsData: schema({ type: 'boolean' }),
  logRetentionDays: schema({ type: 'integer', enum: retentionDays }),
  /** How long the records of changes are kept. A change of it is for later records. */
  recordRetentionDays: schema({ type: 'integer', minimum: 1, maximum: recordRetentionDaysMax }),
  /** True while the table is restored or moved: every change is refused with 503, and nothing is written. */
  readOnly: schema({ type: 'boolean' }),
  /** Whether processes remember what callers may do. */
  remembersAccess: schema({ type: 'boolean' }),
  /** The logical names of the tables, of which the first one is in use. A restored table is imported as another one. */
  tables: array(schema({ type: 'string', pattern: '^[A-Z][A-Za-z0-9]{0,29}$', allowed: 'a name such as Table2' }), {
    minItems: 1,
  }),
  /** False where the account and Region already have a role with which API Gateway writes logs. */
  createsAccountLogRole: schema({ type: 'boolean' }),
  throttle: object({
    requestsPerSecond: schema({ type: 'integer', minimum: 1, maximum: 10_000 }),
    burst: schema({ type: 'integer', minimum: 1, maximum: 5_000 }),
  }),
  table: object({
    readUnitsPerSecondMax: schema({ type: 'integer', minimum: 1, maximum: 40_000 }),
    writeUnitsPerSecondMax: schema({ type: 'integer', minimum: 1, maximum: 40_000 }),
  }),
  authorizerConcurrency: schema({ type: ['integer', 'null'], minimum: 1, maximum: 1_000 }),
  /** Maximum number of files that are fetched at the same time after their requests. */
  fetcherConcurrency: schema({ type: ['integer', 'null'], minimum: 1, maximum: 1_000 }),
  /**
   * What answers reads of packages: API Gateway as everything else, or a function at a URL of its own, too, or that function behind the
   * CloudFront of `uploads`.
   */
  reads: schema({ type: 'string', enum: ['gateway', 'url', 'edge'] }),
  /** The keys of addresses of files at CloudFront, which trusts all of them, where `reads` is `edge`. The first one signs. */
  downloadKeys: array(downloadKey, { maxItems: 2 }),
  /** Maximum number of reads that this function answers at the same time. */
  readsConcurrency: schema({ type: ['integer', 'null'], minimum: 1, maximum: 1_000 }),
  /**
   * Maximum number of requests that each function which asks upstreams answers at the same time. AWS takes as much out of the quota of
   * the account for each of them; null leaves them what the others leave.
   */
  upstreamConcurrency: schema({ type: ['integer', 'null'], minimum: 1, maximum: 1_000 }),
  canary: schema({ type: 'boolean' }),
  firewall: object({
    enabled: schema({ type: 'boolean' }),
    requestsPerFiveMinutesPerAddress: requestsPerFiveMinutes,
    passwordsPerFiveMinutesPerAddress: requestsPerFiveMinutes,
    /** Exchanges of tokens, logins of npm, and sessions of browsers, also their renewals: they need no credential in a header. */
    signInsPerFiveMinutesPerAddress: requestsPerFiveMinutes,
    /** Requests for everything else that needs no credential: the reference, and whether the service runs. */
    openRequestsPerFiveMinutesPerAddress: requestsPerFiveMinutes,
    requestsPerFiveMinutesPerCredential: requestsPerFiveMinutes,
  }),
  domain: {
    ...domain,
    type: ['object', 'null'],
    allowed: 'an object with name, certificateArn and hostedZone, or null',
  } as const,
  /** What receives bodies that are too large for API Gateway: nothing, a web function of Lambda, or Fargate. */
  uploads: schema({ type: 'string', enum: ['gateway', 'web-function', 'fargate'] }),
  door,
  /** The keys that sign documents, all of them. Two only while one replaces the other. */
  signingKeys: array(signingKey, { minItems: 1, maxItems: 2 }),
  alarmEmail: schema({
    type: ['string', 'null'],
    pattern: '^[^@\\s]+@[^@\\s]+$',
    allowed: 'an e-mail address, or null',
  }),
  allowedPrivateUpstreams: array(
    schema({ type: 'string', pattern: '^[^,\\s]+$', allowed: 'a host or a CIDR range, such as 10.0.0.0/8' }),
  ),
  advisories: object({
    /** The package types whose advisories are brought up to date every hour, by requests to `url`. */
    hourly: array(schema({ type: 'string', enum: advisedTypes })),
    /** The bucket of osv.dev, or a mirror of it. */
    url: schema({ type: 'string', pattern: '^https://[^\\s?#]+$', allowed: 'an address that begins with https://' }),
  }),
  batchRepositoriesMax: schema({ type: 'integer', minimum: 1, maximum: batchRepositoriesMax }),
  /** After how many days without use the lists of tokens call a token unused. */
  unusedTokenDays: schema({ type: 'integer', minimum: 1, maximum: unusedTokenDaysMax }),
  /** For clients that fail without the upstream password in the answer that creates a remote repository. */
  echoUpstreamPassword: schema({ type: 'boolean' }),
});

type StageSettings = Infer<typeof settings>;

/**
 * The settings of one stage: an entry of `stages` in cdk.json. With `uploads: 'local'` the stack has the key and the role of the
 * door but no host, because the local runner is the host.
 */
export interface Settings extends Omit<StageSettings, 'uploads'> {
  readonly uploads: StageSettings['uploads'] | 'local';
}

/** Whether CloudFront is in front of API Gateway and the door. */
export const hasEdge = (uploads: Settings['uploads']): uploads is 'web-function' | 'fargate' =>
  uploads === 'web-function' || uploads === 'fargate';

/** A setting that cannot be used; its message says which one and what is allowed. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The settings of a stage, checked against all rules at once. */
export const readSettings = (stages: unknown, stage: unknown): Settings => {
  const known = isRecord(stages) ? stages : {};
  const found = typeof stage === 'string' && Object.hasOwn(known, stage) ? known[stage] : undefined;
  if (!/^[a-z][a-z0-9]{0,15}$/.test(String(stage)) || !isRecord(found)) {
    const names = Object.keys(known).join(', ');
    throw new SettingsError(
      `There is no stage '${String(stage)}' in cdk.json: choose one of ${names} with -c stage=….`,
    );
  }
  const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
  ajv.addVocabulary(['allowed']);
  const violations = violationsOf(ajv.compile(settings) as Validator, settings, found);
  if (violations.length === 0) return withEdge(withHost(found as StageSettings, String(stage)), String(stage));
  const sentences = violations.map(({ rule, pointer, message }) =>
    rule === 'unknown' ? `${fieldName(pointer)} is not a setting.` : message,
  );
  throw new SettingsError(`cdk.json, stage '${String(stage)}': ${sentences.join(' ')}`);
};

/** A door needs a host name of its own: CloudFront chooses by the method of a request who answers it. */
const withHost = (ofStage: StageSettings, stage: string): StageSettings => {
  const { uploads, domain: host, door: ofDoor } = ofStage;
  if (uploads === 'gateway' || (host !== null && ofDoor.certificateArn !== null)) return ofStage;
  const missing = host === null ? 'domain' : 'door.certificateArn';
  throw new SettingsError(
    `cdk.json, stage '${stage}': uploads is ${uploads}, which needs ${missing}: set it, or set uploads to gateway.`,
  );
};

/** Reads at CloudFront need the distribution that `uploads` brings, and a key. */
const withEdge = <S extends Settings>(ofStage: S, stage: string): S => {
  const { reads, uploads, downloadKeys } = ofStage;
  if (reads !== 'edge' || (hasEdge(uploads) && downloadKeys.length > 0)) return ofStage;
  const missing = hasEdge(uploads) ? 'a key in downloadKeys' : 'uploads to be web-function or fargate';
  throw new SettingsError(
    `cdk.json, stage '${stage}': reads is edge, which needs ${missing}: set it, or set reads to gateway or url.`,
  );
};

/** `-c uploads=local` is for the local runner, which has no CloudFront. */
export const settingsOfUploads = (ofStage: Settings, uploads: unknown): Settings => {
  if (uploads === undefined) return ofStage;
  if (uploads === 'local') return { ...ofStage, uploads, reads: ofStage.reads === 'edge' ? 'gateway' : ofStage.reads };
  throw new SettingsError(
    `There are no uploads ${JSON.stringify(uploads)} but those of cdk.json and -c uploads=local.`,
  );
};

/** `-c reads=…` takes the place of the setting of the stage. */
export const settingsOfReads = (ofStage: Settings, reads: unknown, stage: string): Settings => {
  if (reads === undefined) return ofStage;
  if (reads === 'gateway' || reads === 'url' || reads === 'edge') return withEdge({ ...ofStage, reads }, stage);
  throw new SettingsError(`There are no reads ${JSON.stringify(reads)}: write -c reads=gateway, url or edge.`);
};

/**
 * The settings for one release. `-c release=at-once` leaves out the steps and their alarms, because CodeDeploy refuses to
 * deploy while an alarm of the release rings: also the release that would mend it.
 */
export const settingsOfRelease = (ofStage: Settings, release: unknown): Settings => {
  if (release === undefined) return ofStage;
  if (release === 'at-once') return { ...ofStage, canary: false };
  throw new SettingsError(`There is no release ${JSON.stringify(release)}: leave it out, or write -c release=at-once.`);
};
