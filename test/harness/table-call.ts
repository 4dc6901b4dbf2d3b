import type { IncomingHttpHeaders } from 'node:http';
import { endpoints } from '../../functions/endpoints.ts';

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
  ['authorizer', 'fetcher', 'first-admin', 'sweeper', 'verifier', ...endpoints.map(({ id }) => id)].map((id) => [
    letters(id),
    id,
  ]),
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
