import type { IncomingHttpHeaders } from 'node:http';
import { endpoints } from '../../functions/endpoints.ts';
import { frontId } from '../../infra/api/function-metadata.ts';

/** An item or a key, as the wire has it. */
export type Attributes = Readonly<Record<string, { readonly S?: string }>>;
type KeyedAction = { readonly Key?: Attributes; readonly Item?: Attributes };

/** The parts of a DynamoDB request that the tests look at. */
export interface TableRequest {
  readonly ClientRequestToken?: string;
  readonly Key?: Attributes;
  readonly Item?: Attributes;
  readonly ConsistentRead?: boolean;
  readonly IndexName?: string;
  readonly TransactItems?: readonly Readonly<Record<string, KeyedAction>>[];
  readonly RequestItems?: Readonly<
    Record<string, { readonly Keys?: readonly Attributes[]; readonly ConsistentRead?: boolean }>
  >;
}

/** One call of the table by a function. */
export interface TableCall {
  readonly functionId: string;
  readonly operation: string;
  /** The items that the call names, as `pk sk`. */
  readonly keys: readonly string[];
  readonly isWrite: boolean;
  readonly isConsistent: boolean;
  readonly index: string | undefined;
  /** When it came, to order it among the calls of the object store. */
  readonly startedAt: number;
  /** The status that the function saw; undefined while it waits and when it saw none. */
  status?: number;
  /** Whether the SDK did not wait for the answer and tried again, as it does on a starved machine. */
  isAbandoned?: boolean;
  /** Capacity units, when the proxy was told to ask for them. */
  units?: number;
}

const reads = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems']);

const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '');
const idsByLetters = new Map(
  [
    'authorizer',
    'fetcher',
    'first-admin',
    frontId,
    'importer',
    'sweeper',
    'verifier',
    ...endpoints.map(({ id }) => id),
  ].map((id) => [letters(id), id]),
);

/** The function that signed a call: each one has an access key id of its own. */
const callerOf = (headers: IncomingHttpHeaders): string | undefined => {
  const [, accessKeyId = ''] = /Credential=([^/]+)\//.exec(headers.authorization ?? '') ?? [];
  return idsByLetters.get(letters(accessKeyId));
};

const keyOf = (attributes: Attributes | undefined): string[] =>
  attributes ? [`${attributes.pk?.S} ${attributes.sk?.S}`] : [];

const batchesOf = ({ RequestItems }: TableRequest) => Object.values(RequestItems ?? {});

const keysOf = (request: TableRequest): string[] => [
  ...keyOf(request.Key ?? request.Item),
  ...(request.TransactItems ?? []).flatMap((action) =>
    Object.values(action).flatMap(({ Key, Item }) => keyOf(Key ?? Item)),
  ),
  ...batchesOf(request).flatMap(({ Keys }) => (Keys ?? []).flatMap(keyOf)),
];

const isRecord = (action: Readonly<Record<string, KeyedAction>>): boolean =>
  Object.values(action).some(({ Item }) => Item?.pk?.S?.startsWith('AUDIT#'));

/** What all tries of a call have in common: another try can have a request token and a record of its own. */
export const identityOf = ({ ClientRequestToken = '', ...request }: TableRequest): string => {
  const TransactItems = request.TransactItems?.filter((action) => !isRecord(action));
  const text = JSON.stringify({ ...request, TransactItems });
  return ClientRequestToken === '' ? text : text.replaceAll(ClientRequestToken, '');
};

/** Reads a request of the DynamoDB JSON protocol; `unknown` stands for a caller that is none of the functions. */
export const readCall = (headers: IncomingHttpHeaders, request: TableRequest): TableCall => {
  const operation = String(headers['x-amz-target']).replace(/^.*\./, '');
  const batches = batchesOf(request);
  return {
    functionId: callerOf(headers) ?? 'unknown',
    operation,
    keys: keysOf(request),
    index: request.IndexName,
    isWrite: !reads.has(operation),
    startedAt: performance.now(),
    isConsistent:
      operation === 'TransactGetItems' ||
      request.ConsistentRead === true ||
      (batches.length > 0 && batches.every((batch) => batch.ConsistentRead === true)),
  };
};

/** Whether a call only counts passwords: refusals do so too, and what is counted expires within minutes. */
export const isCount = ({ keys }: Pick<TableCall, 'keys'>): boolean =>
  keys.length > 0 && keys.every((key) => /^(?:FAILURES|CHECKS)#/.test(key));

/** The law of the table that a call breaks, if it does. */
export const brokenLaw = (call: TableCall): string | undefined => {
  const who = `${call.functionId} ${call.operation}`;
  if (call.functionId === 'unknown') return `${who}: the caller is no function of the list`;
  if (call.operation === 'Scan') return `${who}: no request scans the table`;
  // An index cannot be read consistently. It serves one list, and decides nothing.
  if (call.index !== undefined)
    return call.functionId === 'audit/list-records' ? undefined : `${who}: a read of an index`;
  if (!call.isWrite && !call.isConsistent) return `${who}: a read that does not ask for ConsistentRead`;
  return undefined;
};

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
