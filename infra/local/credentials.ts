/** Who a call to the table engine is signed by. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * The embedded engine takes any key, so each function has one of its own, its id without separators: what stands
 * between function and engine can tell who calls.
 */
export const accessKeyOf = (functionId: string): string => functionId.replaceAll(/[^A-Za-z0-9]/g, '');

/** The credentials of a function towards the embedded engine. */
export const credentialsOf = (functionId: string): Credentials => ({
  accessKeyId: accessKeyOf(functionId),
  secretAccessKey: 'local',
});

/** The credentials towards an engine that somebody else runs: the caller's own, as AWS needs them. */
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
