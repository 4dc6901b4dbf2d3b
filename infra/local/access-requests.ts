import type { AccessRequest } from './role-policy.ts';
import { local } from './template.ts';

/** The parts of a call to AWS that decide what it asks for. */
interface Call {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly RequestItems?: Readonly<Record<string, unknown>>;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName?: string }>>[];
  readonly KeyId?: string;
  readonly EncryptionContext?: Readonly<Record<string, string>>;
  readonly SecretId?: string;
}

const arn = (service: string, resource: string): string =>
  resource.startsWith('arn:') ? resource : `arn:aws:${service}:${local.region}:${local.accountId}:${resource}`;

const onTable = (action: string, table = '', index?: string): AccessRequest => {
  const resource = arn('dynamodb', table.startsWith('arn:') ? table : `table/${table}`);
  return { action: `dynamodb:${action}`, resource: index ? `${resource}/index/${index}` : resource, context: {} };
};

/** The right that each action of a transaction needs: none has a right of its own. */
const transactionRights: Readonly<Record<string, string>> = {
  ConditionCheck: 'ConditionCheckItem',
  Delete: 'DeleteItem',
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
};

const tableRequests = (operation: string, call: Call): AccessRequest[] => {
  if (call.TransactItems)
    return call.TransactItems.flatMap((item) =>
      Object.entries(item).map(([kind, { TableName }]) => onTable(transactionRights[kind] ?? kind, TableName)),
    );
  if (call.RequestItems) return Object.keys(call.RequestItems).map((table) => onTable(operation, table));
  return [onTable(operation, call.TableName, call.IndexName)];
};

const keyRequest = (operation: string, { KeyId = '', EncryptionContext = {} }: Call): AccessRequest => ({
  action: `kms:${operation}`,
  resource: arn('kms', KeyId.startsWith('arn:') ? KeyId : `key/${KeyId}`),
  context: {
    ...(Object.keys(EncryptionContext).length > 0 && { 'kms:EncryptionContextKeys': Object.keys(EncryptionContext) }),
    ...Object.fromEntries(
      Object.entries(EncryptionContext).map(([name, value]) => [`kms:EncryptionContext:${name}`, value]),
    ),
  },
});

/**
 * What a call of AWS's JSON protocols asks for, by its `X-Amz-Target` and its body. A transaction asks for each of its
 * items what a call for that item alone would.
 */
export const accessRequestsOf = (target: string, body: string): AccessRequest[] => {
  const [service = '', operation = ''] = target.split('.');
  const call = JSON.parse(body) as Call;
  if (service.startsWith('DynamoDB_')) return tableRequests(operation, call);
  if (service === 'TrentService') return [keyRequest(operation, call)];
  const name = service.toLowerCase();
  return [{ action: `${name}:${operation}`, resource: arn(name, call.SecretId ?? '*'), context: {} }];
};

/** What Lambda does in the name of a function beside running it: its log, and traces where they are on. */
export const runtimeRequests = (logGroup: string, isTraced: boolean): AccessRequest[] => {
  const stream = arn('logs', `log-group:${logGroup}:log-stream:local`);
  const request = (action: string, resource: string): AccessRequest => ({ action, resource, context: {} });
  return [
    request('logs:CreateLogStream', stream),
    request('logs:PutLogEvents', stream),
    ...(isTraced ? ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'].map((each) => request(each, '*')) : []),
  ];
};
