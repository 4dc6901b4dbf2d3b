import { local } from './template.ts';

/** The credentials that sign a call to the table engine. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * The embedded engine accepts any key, so each function uses its own ID without separators: a proxy between functions
 * and engine can then identify the caller.
 */
const accessKeyOf = (functionId: string): string => functionId.replaceAll(/[^A-Za-z0-9]/g, '');

/** The credentials of a function for the embedded engine. */
export const credentialsOf = (functionId: string): Credentials => ({
  accessKeyId: accessKeyOf(functionId),
  secretAccessKey: 'local',
});

/** The credentials for an external engine: those of the environment, because AWS needs real ones. */
export const environmentCredentials = (): Credentials => {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  // DynamoDB Local keeps one database per access key: without credentials all functions share this one.
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return credentialsOf('stockroom');
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  };
};

/** Credentials as the environment variables that the SDK reads. */
export const credentialVariables = ({ accessKeyId, secretAccessKey, sessionToken }: Credentials) => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  ...(sessionToken && { AWS_SESSION_TOKEN: sessionToken }),
});

/** Where the SDK finds the services of AWS, as the environment variables that it reads. */
export const serviceVariables = (urls: Readonly<Record<'dynamodb' | 's3' | 'kms' | 'lambda' | 'logs', string>>) => ({
  AWS_REGION: local.region,
  AWS_ENDPOINT_URL_DYNAMODB: urls.dynamodb,
  AWS_ENDPOINT_URL_S3: urls.s3,
  AWS_ENDPOINT_URL_KMS: urls.kms,
  AWS_ENDPOINT_URL_LAMBDA: urls.lambda,
  AWS_ENDPOINT_URL_LOGS: urls.logs,
});
