import { environment } from '../../shared/config.ts';
import { batchRepositoriesMax, recordRetentionDaysMax, unusedTokenDaysMax } from '../../shared/limits.ts';
import { isHostOrNetwork } from '../../shared/upstream/public-hosts.ts';
import { StartError } from './start-error.ts';

/** Reads the settings of a local start from the environment variables. */
export const readSettings = (variables: NodeJS.ProcessEnv) => {
  checkUpstreams(variables[environment.allowedPrivateUpstreams]);
  checkBatchMax(variables[environment.maxBatchRepositories]);
  checkDays(environment.unusedTokenDays, unusedTokenDaysMax, variables);
  checkDays(environment.recordRetentionDays, recordRetentionDaysMax, variables);
  checkFlag(environment.echoUpstreamPassword, variables);
  checkFlag(environment.readOnly, variables);
  checkEndpoint('DYNAMODB_ENDPOINT', variables);
  checkEndpoint('S3_ENDPOINT', variables);
  checkUploads(variables.UPLOADS);
  checkReads(variables.READS);
  const settings = settingsOf(variables);
  checkPorts(settings);
  return settings;
};

/** What the functions read as they do in a deployment, where the stack sets it. */
const operatorSettings = [
  environment.allowedPrivateUpstreams,
  environment.maxBatchRepositories,
  environment.unusedTokenDays,
  environment.recordRetentionDays,
  environment.echoUpstreamPassword,
  environment.readOnly,
];

const settingsOf = (variables: NodeJS.ProcessEnv) => ({
  host: variables.HOST || '127.0.0.1',
  port: portOf('PORT', variables.PORT || '3000'),
  /** The port of the front for reads, if there is one. */
  readsPort: variables.READS === 'url' ? portOf('READS_PORT', variables.READS_PORT || '3001') : undefined,
  /** Whether large bodies are received beside the API. */
  hasDoor: variables.UPLOADS !== 'gateway',
  dataDir: variables.DATA_DIR || '.stockroom',
  dynamodbEndpoint: variables.DYNAMODB_ENDPOINT || undefined,
  s3Endpoint: variables.S3_ENDPOINT || undefined,
  firstAdmin: {
    username: variables.STOCKROOM_ADMIN_USERNAME || undefined,
    password: variables.STOCKROOM_ADMIN_PASSWORD || undefined,
    tokenFile: variables.STOCKROOM_ADMIN_TOKEN_FILE || undefined,
  },
  environment: Object.fromEntries(
    operatorSettings.flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])),
  ),
});

const checkUpstreams = (text = ''): void => {
  const entries = text.split(',').map((entry) => entry.trim());
  const wrong = entries.find((entry) => entry !== '' && !isHostOrNetwork(entry));
  if (wrong !== undefined)
    throw new StartError(
      `${environment.allowedPrivateUpstreams} has the entry '${wrong}': list hosts and CIDR ranges without a scheme or a port, such as nexus.internal,10.0.0.0/8.`,
    );
};

const checkBatchMax = (text: string | undefined): void => {
  const isValid = !text || (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= batchRepositoriesMax);
  if (!isValid)
    throw new StartError(
      `${environment.maxBatchRepositories} is '${text}': set it to a number from 1 to ${batchRepositoriesMax}.`,
    );
};

const checkDays = (name: string, max: number, { [name]: text }: NodeJS.ProcessEnv): void => {
  if (text && !(/^[1-9]\d{0,3}$/.test(text) && Number(text) <= max))
    throw new StartError(`${name} is '${text}': set it to a number from 1 to ${max}.`);
};

const checkEndpoint = (name: string, { [name]: text }: NodeJS.ProcessEnv): void => {
  if (text && !['http:', 'https:'].includes(URL.parse(text)?.protocol ?? ''))
    throw new StartError(`${name} is '${text}': set it to a URL such as http://127.0.0.1:8000.`);
};

const checkUploads = (text: string | undefined): void => {
  if (text && text !== 'gateway' && text !== 'door')
    throw new StartError(`UPLOADS is '${text}': set it to door, or to gateway for a service without a door.`);
};

const checkReads = (text: string | undefined): void => {
  if (text && text !== 'gateway' && text !== 'url')
    throw new StartError(`READS is '${text}': set it to gateway, or to url for a second front for reads of packages.`);
};

const checkPorts = ({ port, readsPort }: ReturnType<typeof settingsOf>): void => {
  if (port !== 0 && port === readsPort)
    throw new StartError(`PORT and READS_PORT are both ${port}: set one of them to another number.`);
};

const checkFlag = (name: string, { [name]: text }: NodeJS.ProcessEnv): void => {
  if (text && text !== 'true' && text !== 'false')
    throw new StartError(`${name} is '${text}': set it to true or false.`);
};

const portOf = (name: string, text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new StartError(`${name} is '${text}': set it to a number from 0 to 65535.`);
  return port;
};
