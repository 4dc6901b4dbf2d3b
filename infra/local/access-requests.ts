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
  readonly logGroupName?: string;
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
  if (service.startsWith('Logs_')) {
    const resource = arn('logs', `log-group:${call.logGroupName ?? '*'}:log-stream:`);
    return [{ action: `logs:${operation}`, resource, context: {} }];
  }
  const name = service.toLowerCase();
  return [{ action: `${name}:${operation}`, resource: arn(name, call.SecretId ?? '*'), context: {} }];
};

/** A call of a REST protocol, S3's or Lambda's: method, path and headers say all that it asks for. */
export interface RestCall {
  readonly method: string;
  /** As it is sent: the bucket first, everything encoded, the query behind it. */
  readonly path: string;
  readonly header: (name: string) => string | undefined;
}

/** The rights of S3 by method, by what the path names and by the parameters that make another operation of it. */
const objectRights: Readonly<Record<string, string>> = {
  'GET bucket': 'ListBucket',
  'GET bucket uploads': 'ListBucketMultipartUploads',
  'HEAD bucket': 'ListBucket',
  'POST bucket delete': 'DeleteObject',
  'DELETE object': 'DeleteObject',
  'DELETE object uploadId': 'AbortMultipartUpload',
  'GET object': 'GetObject',
  'GET object uploadId': 'ListMultipartUploadParts',
  'HEAD object': 'GetObject',
  'POST object uploadId': 'PutObject',
  'POST object uploads': 'PutObject',
  'PUT object': 'PutObject',
  'PUT object uploadId': 'PutObject',
};

/** Parameters that leave the operation as it is; those of answers, of the SDK and of a signature do so too. */
const detailParameters = new Set(
  `list-type prefix delimiter encoding-type fetch-owner start-after continuation-token max-keys max-parts max-uploads
   key-marker part-number-marker upload-id-marker partNumber`.split(/\s+/),
);
const isDetail = (name: string): boolean => detailParameters.has(name) || /^(?:response|x)-/i.test(name);

const objectArn = (path: string): string => `arn:aws:s3:::${decodeURIComponent(path)}`;

/** What a call of S3 asks for. A copy also reads its source; a call that deletes several objects may delete any. */
export const objectRequestsOf = ({ method, path, header }: RestCall): AccessRequest[] => {
  const [, bucket = '', key = '', search] = /^\/([^/?]+)\/?([^?]*)\??(.*)$/s.exec(path) ?? [];
  const query = new URLSearchParams(search);
  const parameters = Array.from(query.keys()).filter((name) => !isDetail(name));
  const operation = [method, key ? 'object' : 'bucket', ...parameters].join(' ');
  const action = objectRights[operation];
  if (!bucket || !action) throw new Error(`The local runner does not know the right of S3 for '${operation}'.`);
  const name = action === 'DeleteObject' && !key ? '*' : key;
  const copied = header('x-amz-copy-source')
    ?.replace(/^\//, '')
    .replace(/\?versionId=.*$/, '');
  return [
    {
      action: `s3:${action}`,
      resource: objectArn(name ? `${bucket}/${name}` : bucket),
      context: objectContext(operation, query, header),
    },
    ...(copied ? [{ action: 's3:GetObject', resource: objectArn(copied), context: {} }] : []),
  ];
};

/** What conditions can look at: the prefix of a list; whether a write ends in an object, and what must not be there yet. */
const objectContext = (operation: string, query: URLSearchParams, header: RestCall['header']) => {
  const action = objectRights[operation];
  const [prefix, ifMatch, ifNoneMatch] = [query.get('prefix'), header('if-match'), header('if-none-match')];
  const ends = operation === 'PUT object' || operation === 'POST object uploadId';
  return {
    ...(action === 'ListBucket' && prefix !== null && { 's3:prefix': prefix }),
    ...(action === 'PutObject' && { 's3:ObjectCreationOperation': String(ends) }),
    ...(action === 'PutObject' && ifMatch !== undefined && { 's3:if-match': ifMatch }),
    ...(action === 'PutObject' && ifNoneMatch !== undefined && { 's3:if-none-match': ifNoneMatch }),
  };
};

/** What a call of Lambda asks for: to run another function. */
export const invocationRequestsOf = ({ path }: RestCall): AccessRequest[] => {
  const [, name] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path) ?? [];
  if (!name) throw new Error(`The local runner does not know the right of Lambda for '${path}'.`);
  return [{ action: 'lambda:InvokeFunction', resource: arn('lambda', `function:${name}`), context: {} }];
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
