import type { Attributes, TableCall, TableRequest } from './table-call.ts';

/** What can go wrong between a function and the table. */
export const faults = [
  'drop',
  'commit-then-drop',
  'throttle',
  'conflict',
  'server-error',
  'hang',
  'unprocessed',
] as const;
/** On a full disk only the embedded engine can be. */
export type Fault = (typeof faults)[number] | 'disk-full';

/** A fault that waits for its call. */
export interface Injection {
  readonly fault: Fault;
  /** Only calls of this operation, such as `TransactWriteItems`. */
  readonly operation?: string;
  /** Only calls of this function. */
  readonly functionId?: string;
  /** Lets so many matching calls pass first. */
  readonly after?: number;
  /** Hits so many matching calls; all that follow when absent. */
  readonly times?: number;
  /** Counts the tries of each call by themselves: `after` and `times` then hold for every call. */
  readonly eachCall?: boolean;
}

/** Whether a fault can happen to an operation at all: reads meet no transaction conflict, and only a batch is read in part. */
export const isPossible = (fault: Fault, operation: string): boolean => {
  if (fault === 'unprocessed') return operation === 'BatchGetItem';
  const isRead = ['GetItem', 'BatchGetItem', 'Query'].includes(operation);
  return fault === 'conflict' ? !isRead : true;
};

/** An answer of the table. */
export interface TableAnswer {
  readonly status: number;
  readonly body: string;
}

const namespaceOfErrors = 'com.amazonaws.dynamodb.v20120810';

const refusal = (status: number, name: string, message: string, rest: object = {}): TableAnswer => ({
  status,
  body: JSON.stringify({ __type: `${namespaceOfErrors}#${name}`, message, Message: message, ...rest }),
});

const cancelled = (call: TableCall, culprit: number, code: string, message: string): TableAnswer => {
  const codes = call.keys.map((_, position) => (position === culprit ? code : 'None'));
  return refusal(
    400,
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`,
    { CancellationReasons: codes.map((Code) => (Code === 'None' ? { Code } : { Code, Message: message })) },
  );
};

const isTransaction = (call: TableCall): boolean => call.operation.startsWith('Transact');

/** The refusal of a call that meets another transaction on one of its items. */
export const conflictAnswer = (call: TableCall, culprit = 0): TableAnswer => {
  const message = 'Transaction is ongoing for the item';
  return isTransaction(call)
    ? cancelled(call, culprit, 'TransactionConflict', message)
    : refusal(400, 'TransactionConflictException', message);
};

/** The refusal of a call that the table has no capacity for. */
export const throttleAnswer = (call: TableCall): TableAnswer => {
  const message = 'The level of configured provisioned throughput for the table was exceeded.';
  return isTransaction(call)
    ? cancelled(call, 0, 'ProvisionedThroughputExceeded', message)
    : refusal(400, 'ProvisionedThroughputExceededException', message);
};

export const serverErrorAnswer: TableAnswer = refusal(500, 'InternalServerError', 'Internal server error');

/** In the words of the embedded engine. */
export const diskFullAnswer: TableAnswer = refusal(
  500,
  'InternalServerError',
  'commit failed (backend: database or disk is full) and rollback also failed',
);

interface BatchAnswer {
  readonly Responses?: Readonly<Record<string, readonly Attributes[]>>;
}

/** What a batch of reads answers when the table leaves half of its keys unprocessed, of one key that one. */
export const inPart = ({ RequestItems = {} }: TableRequest, { status, body }: TableAnswer): TableAnswer => {
  const answer = JSON.parse(body) as BatchAnswer;
  const parts = Object.entries(RequestItems).map(([table, batch]) => {
    const { Keys = [] } = batch;
    const left = Keys.slice(Math.floor(Keys.length / 2));
    const isLeft = ({ pk, sk }: Attributes) => left.some((key) => key.pk?.S === pk?.S && key.sk?.S === sk?.S);
    const items = answer.Responses?.[table]?.filter((item) => !isLeft(item));
    return { table, items, unprocessed: { ...batch, Keys: left } };
  });
  const Responses = Object.fromEntries(parts.map(({ table, items }) => [table, items]));
  const UnprocessedKeys = Object.fromEntries(parts.map(({ table, unprocessed }) => [table, unprocessed]));
  return { status, body: JSON.stringify({ ...answer, Responses, UnprocessedKeys }) };
};
