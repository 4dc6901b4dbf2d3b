import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { connectionsMax } from '../limits.ts';
import { PostSigner } from '../post-signatures.ts';

let client: DynamoDBClient | undefined;

/** The client of the SDK, which this process keeps. */
export const dynamodb = (): DynamoDBClient => {
  client ??= makeClient();
  return client;
};

/** Signs the requests of the client. The SDK would make a signer for each, which takes any request: a tenth of the time of a write. */
const newSigner = (): NonNullable<DynamoDBClientConfig['signer']> => {
  const signer = new PostSigner('dynamodb', config.awsAccess);
  return {
    sign: async (request, { signingDate = Date.now() } = {}) => {
      // It may be another one where the request arrives: the SDK does not sign it, either.
      const { 'user-agent': _agent, ...headers } = request.headers;
      const post = { path: request.path, headers, body: request.body as string };
      const signed = signer.sign(post, new Date(signingDate));
      return { ...request, headers: { ...request.headers, ...signed } };
    },
  };
};

const makeClient = (): DynamoDBClient =>
  new DynamoDBClient({
    maxAttempts: 3,
    retryMode: 'standard',
    signer: newSigner(),
    // Without throwOnRequestTimeout, the handler only logs a warning at requestTimeout, and waits on.
    requestHandler: {
      httpAgent: { maxSockets: connectionsMax },
      httpsAgent: { maxSockets: connectionsMax },
      connectionTimeout: 500,
      requestTimeout: 1_500,
      throwOnRequestTimeout: true,
    },
  });
