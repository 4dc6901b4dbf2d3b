import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { connectionsMax } from '../limits.ts';
import { Sha256 } from '../signed-requests.ts';

let client: DynamoDBClient | undefined;

/** The client of the SDK, which this process keeps. */
export const dynamodb = (): DynamoDBClient => {
  client ??= makeClient();
  return client;
};

const makeClient = (): DynamoDBClient => {
  const made = new DynamoDBClient({
    maxAttempts: 3,
    retryMode: 'standard',
    sha256: Sha256,
    // The middleware of an operation is put together once, and not again for each call.
    cacheMiddleware: true,
    // Without throwOnRequestTimeout, the handler only logs a warning at requestTimeout, and waits on.
    requestHandler: {
      httpAgent: { maxSockets: connectionsMax },
      httpsAgent: { maxSockets: connectionsMax },
      connectionTimeout: 500,
      requestTimeout: 1_500,
      throwOnRequestTimeout: true,
    },
  });
  // This middleware copies every input and output for a logger, and there is no logger.
  made.middlewareStack.remove('loggerMiddleware');
  return made;
};
