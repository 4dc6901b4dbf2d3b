import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

let client: DynamoDBDocumentClient | undefined;

/** The client of the SDK, which this process keeps. */
export const documentClient = (): DynamoDBDocumentClient => {
  client ??= makeClient();
  return client;
};

const makeClient = (): DynamoDBDocumentClient => {
  const made = new DynamoDBClient({
    maxAttempts: 3,
    retryMode: 'standard',
    // Without throwOnRequestTimeout, the handler only logs a warning at requestTimeout, and waits on.
    requestHandler: {
      connectionTimeout: 500,
      requestTimeout: 1_500,
      throwOnRequestTimeout: true,
    },
  });
  // This middleware copies every input and output for a logger, and there is no logger.
  made.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(made, { marshallOptions: { removeUndefinedValues: true } });
};
