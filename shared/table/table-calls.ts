import { randomUUID } from 'node:crypto';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { isOutage } from '../outages.ts';
import { callOnce, type ServiceCall, ServiceError } from '../service-calls.ts';
import { isRefusal, isThrottle } from './retries.ts';
import type { Stored } from './stored-items.ts';

/** What `BatchGetItem` answers. Bytes are in base64 here and below, as on the wire. */
interface BatchAnswer {
  readonly Responses?: Readonly<Record<string, readonly Stored[]>>;
  readonly UnprocessedKeys?: Readonly<Record<string, { readonly Keys?: Stored[] }>>;
}

/** What `Query` answers. */
interface QueryAnswer {
  readonly Items?: readonly Stored[];
  readonly LastEvaluatedKey?: Stored;
}

/** What `UpdateItem` answers. */
interface UpdateAnswer {
  readonly Attributes?: Stored;
}

interface Answers {
  readonly BatchGetItem: BatchAnswer;
  readonly Query: QueryAnswer;
  readonly TransactWriteItems: object;
  readonly UpdateItem: UpdateAnswer;
}

const attemptsMax = 3;
const patience = { silenceMilliseconds: 1_500, connectionMilliseconds: 500 } as const;

let kept: StandardRetryStrategy | undefined;

/** When to try again, as the SDK decides it: a process whose calls keep failing stops to repeat them. */
const retries = (): StandardRetryStrategy => {
  kept ??= new StandardRetryStrategy(attemptsMax);
  return kept;
};

/**
 * Calls the table. It does what the client of the SDK would do with a third of the processor's time: there is no chain of
 * middleware, no schema of every operation, and no copy of each item. Errors have the names and the details of the SDK.
 */
export const callTable = async <Operation extends keyof Answers>(
  operation: Operation,
  input: object,
  { abortSignal }: { readonly abortSignal: AbortSignal },
): Promise<Answers[Operation]> => {
  const call = callOf(operation, input);
  let token = await retries().acquireInitialRetryToken('table');
  for (let attempts = 1; ; attempts += 1)
    try {
      const text = await callOnce(call, abortSignal);
      retries().recordSuccess(token);
      return JSON.parse(text) as Answers[Operation];
    } catch (error) {
      const failure = withDetails(error, attempts);
      if (abortSignal.aborted) throw failure;
      token = await nextToken(token, failure, abortSignal);
    }
};

/** What an error says of the writes that it refused. */
interface RefusalDetails {
  readonly Item?: Stored;
  readonly CancellationReasons?: readonly object[];
}

/** Gives an error what the SDK gives it: the number of tries, and what the conditions of the writes met. */
const withDetails = (error: unknown, attempts: number): unknown => {
  if (!(error instanceof ServiceError)) return error;
  const details = { $metadata: { attempts } };
  if (!isRefusal(error)) return Object.assign(error, details);
  const { Item, CancellationReasons } = JSON.parse(error.body()) as RefusalDetails;
  return Object.assign(error, details, { Item, CancellationReasons });
};

const callOf = (operation: string, input: object): ServiceCall => ({
  service: 'dynamodb',
  path: '/',
  headers: {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDB_20120810.${operation}`,
    // All tries of a call have the same.
    'amz-sdk-invocation-id': randomUUID(),
  },
  body: JSON.stringify(input),
  expected: 200,
  ...patience,
});

type Token = Awaited<ReturnType<StandardRetryStrategy['acquireInitialRetryToken']>>;

/** Waits for the next try. Throws the error if there is none, or none in the time of the request. */
const nextToken = async (token: Token, error: unknown, signal: AbortSignal): Promise<Token> => {
  const { promise: isOver, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', reject, { once: true });
  try {
    return await Promise.race([retries().refreshRetryTokenForRetry(token, { errorType: errorTypeOf(error) }), isOver]);
  } catch {
    throw error;
  } finally {
    signal.removeEventListener('abort', reject);
  }
};

const errorTypeOf = (error: unknown): 'THROTTLING' | 'TRANSIENT' | 'CLIENT_ERROR' => {
  if (error instanceof Error && isThrottle(error)) return 'THROTTLING';
  return isOutage(error) ? 'TRANSIENT' : 'CLIENT_ERROR';
};
