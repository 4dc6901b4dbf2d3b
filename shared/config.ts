/** The names of the environment variables that the functions read; infra sets exactly these. */
export const environment = {
  tableName: 'TABLE_NAME',
  upstreamKeyId: 'UPSTREAM_KEY_ID',
  allowedPrivateUpstreams: 'ALLOWED_PRIVATE_UPSTREAMS',
  maxBatchRepositories: 'MAX_BATCH_REPOSITORIES',
} as const;

const required = (name: string, value: string | undefined): string => {
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
};

/** The configuration of a function, read when it is first needed. */
export const config = {
  get tableName(): string {
    return required(environment.tableName, process.env[environment.tableName]);
  },
  /** The release; written into the bundle at build. */
  get version(): string {
    return required('STOCKROOM_VERSION', process.env.STOCKROOM_VERSION);
  },
};
