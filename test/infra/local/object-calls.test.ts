import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { AccessAttempt } from '../../../infra/local/access-check.ts';
import { objectRequestsOf } from '../../../infra/local/access-requests.ts';
import { FunctionThreads } from '../../../infra/local/function-threads.ts';
import { Lambda } from '../../../infra/local/lambda.ts';
import { RolePolicy } from '../../../infra/local/role-policy.ts';

const call = (line: string, headers: Readonly<Record<string, string>> = {}) => {
  const [method = '', path = ''] = line.split(' ');
  return objectRequestsOf({ method, path, header: (name) => headers[name] });
};

const bucket = 'arn:aws:s3:::packages';
const write = { 's3:ObjectCreationOperation': 'true' };
const step = { 's3:ObjectCreationOperation': 'false' };

describe('A call of S3 asks for', () => {
  it.each([
    ['GET /packages/blobs/a', 's3:GetObject', '/blobs/a', {}],
    ['GET /packages/blobs/a?x-id=GetObject&response-content-type=text%2Fplain', 's3:GetObject', '/blobs/a', {}],
    ['GET /packages/blobs/a?X-Amz-Algorithm=A&X-Amz-Signature=b', 's3:GetObject', '/blobs/a', {}],
    ['HEAD /packages/blobs/a', 's3:GetObject', '/blobs/a', {}],
    ['GET /packages/a%20b/%2e%2e/c%3Fd', 's3:GetObject', '/a b/../c?d', {}],
    ['GET /packages/a/../b//c/', 's3:GetObject', '/a/../b//c/', {}],
    ['PUT /packages/blobs/a?x-id=PutObject', 's3:PutObject', '/blobs/a', write],
    ['POST /packages/blobs/a?uploads', 's3:PutObject', '/blobs/a', step],
    ['PUT /packages/blobs/a?partNumber=1&uploadId=u', 's3:PutObject', '/blobs/a', step],
    ['POST /packages/blobs/a?uploadId=u', 's3:PutObject', '/blobs/a', write],
    ['GET /packages/blobs/a?uploadId=u', 's3:ListMultipartUploadParts', '/blobs/a', {}],
    ['DELETE /packages/blobs/a?uploadId=u', 's3:AbortMultipartUpload', '/blobs/a', {}],
    ['DELETE /packages/blobs/a', 's3:DeleteObject', '/blobs/a', {}],
    ['POST /packages?delete', 's3:DeleteObject', '/*', {}],
    ['POST /packages/?delete=', 's3:DeleteObject', '/*', {}],
    ['GET /packages?list-type=2&prefix=staging%2F&max-keys=9', 's3:ListBucket', '', { 's3:prefix': 'staging/' }],
    ['GET /packages/?list-type=2', 's3:ListBucket', '', {}],
    ['HEAD /packages', 's3:ListBucket', '', {}],
    ['GET /packages?uploads&prefix=a', 's3:ListBucketMultipartUploads', '', {}],
  ])('%s: %s on %s', (line, action, place, context) => {
    expect(call(line)).toEqual([{ action, resource: `${bucket}${place}`, context }]);
  });

  it.each(['PUT /packages/blobs/a', 'PUT /packages/blobs/a?partNumber=1&uploadId=u'])(
    '%s, where it copies, for the right to read the source too',
    (line) => {
      for (const source of ['/packages/staging/a%20b', 'packages/staging/a%20b?versionId=v'])
        expect(call(line, { 'x-amz-copy-source': source }).slice(1)).toEqual([
          { action: 's3:GetObject', resource: `${bucket}/staging/a b`, context: {} },
        ]);
    },
  );

  it.each(['PUT /packages/blobs/a', 'POST /packages/blobs/a?uploadId=u'])(
    '%s with what must not be there yet',
    (line) => {
      const [request] = call(line, { 'if-none-match': '*' });
      expect(request?.context).toEqual({ ...write, 's3:if-none-match': '*' });
    },
  );

  it.each([
    'GET /packages/blobs/a?acl',
    'GET /packages/blobs/a?versionId=v',
    'PUT /packages/blobs/a?tagging',
    'PUT /packages',
    'DELETE /packages',
    'GET /packages?versioning',
    'GET /',
    'PATCH /packages/blobs/a',
  ])('%s: the runner says that it does not know', (line) => {
    expect(() => call(line)).toThrow('does not know the right of S3');
  });
});

describe('A role that lets a function', () => {
  const decide = (statement: object, line: string, headers?: Readonly<Record<string, string>>) => {
    const policy = new RolePolicy([{ Effect: 'Allow', Action: 's3:*', Resource: `${bucket}/*`, ...statement }]);
    return call(line, headers).every((request) => policy.decide(request).isAllowed);
  };

  it('write only what is not there yet refuses a write that does not ask', () => {
    const statement = { Action: 's3:PutObject', Condition: { Null: { 's3:if-none-match': 'false' } } };
    expect(decide(statement, 'PUT /packages/a', { 'if-none-match': '*' })).toBe(true);
    expect(decide(statement, 'PUT /packages/a')).toBe(false);
  });

  it('list one prefix refuses the list of another, and of all', () => {
    const statement = { Resource: bucket, Condition: { StringLike: { 's3:prefix': 'staging/*' } } };
    expect(decide(statement, 'GET /packages?list-type=2&prefix=staging/a')).toBe(true);
    expect(decide(statement, 'GET /packages?list-type=2&prefix=blobs/')).toBe(false);
    expect(decide(statement, 'GET /packages?list-type=2')).toBe(false);
  });

  it('use one place refuses a deletion that may reach others', () => {
    expect(decide({}, 'POST /packages?delete')).toBe(true);
    expect(decide({ Resource: `${bucket}/staging/*` }, 'POST /packages?delete')).toBe(false);
    expect(decide({ Resource: `${bucket}/staging/*` }, 'DELETE /packages/staging/a')).toBe(true);
    expect(decide({ Resource: `${bucket}/staging/*` }, 'DELETE /packages2/staging/a')).toBe(false);
  });
});

/** What reached the object store. */
const arrived: string[] = [];
const objectStore = createServer((request, response) => void store(request, response));
const store = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  arrived.push(`${request.method} ${request.url} ${await text(request)}`);
  response.setHeader('ETag', '"e"').end('stored');
};

/** A function that calls S3 in the ways that functions have. */
const handlerSource = `
  const http = require('node:http');
  const { Readable } = require('node:stream');
  const { pipeline } = require('node:stream/promises');
  const { text } = require('node:stream/consumers');
  const { GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } = require('@aws-sdk/client-s3');
  const base = process.env.AWS_ENDPOINT_URL_S3;
  const answered = (request) => new Promise((resolve, reject) => request.on('response', resolve).on('error', reject));
  const read = async (response) => ({ status: response.statusCode, body: await text(response) });
  const body = () => Readable.from(Array.from({ length: 50 }, () => 'x'.repeat(10_000)));
  const client = () => new S3Client({ forcePathStyle: true, maxAttempts: 1 });
  const length = { 'Content-Length': 500_000 };

  const ways = {
    get: (key) => answered(http.get(base + key)).then(read),
    callback: (key) =>
      new Promise((resolve) => http.request(new URL(base + key), { method: 'PUT' }, resolve).end('x')).then(read),
    pipe: (key) => answered(body().pipe(http.request(base + key, { method: 'PUT', headers: length }))).then(read),
    pipeline: async (key) => {
      const request = http.request(base + key, { method: 'PUT', headers: length });
      const [response] = await Promise.all([answered(request), pipeline(body(), request)]);
      return read(response);
    },
    expect: async (key) => {
      const request = http.request(base + key, { method: 'PUT', headers: { ...length, Expect: '100-continue' } });
      request.once('continue', () => body().pipe(request));
      return read(await answered(request));
    },
    sdkGet: async (key) => text((await client().send(new GetObjectCommand(place(key)))).Body),
    sdkHead: (key) => client().send(new HeadObjectCommand(place(key))),
    sdkPut: (key) => client().send(new PutObjectCommand({ ...place(key), Body: body(), ContentLength: 500_000 })),
    sdkPutBuffer: (key) => client().send(new PutObjectCommand({ ...place(key), Body: Buffer.alloc(3_000_000, 'x') })),
  };
  const place = (key) => ({ Bucket: key.split('/')[1], Key: key.split('/').slice(2).join('/') });
  const errorOf = ({ name, message, $metadata }) => ({ name, message, status: $metadata?.httpStatusCode });
  exports.handler = ({ way, key }) => ways[way](key).catch(errorOf);
`;

describe('A function that calls S3', () => {
  const attempts: AccessAttempt[] = [];
  let directory: string;
  const threads = new FunctionThreads();
  let lambda: Lambda;

  beforeAll(async () => {
    objectStore.listen(0, '127.0.0.1');
    await once(objectStore, 'listening');
    directory = mkdtempSync(join(tmpdir(), 'stockroom-s3-'));
    const source = handlerSource.replace('@aws-sdk/client-s3', require.resolve('@aws-sdk/client-s3'));
    writeFileSync(join(directory, 'index.js'), source);
    lambda = new Lambda(
      {
        id: 'caller',
        name: 'caller',
        arn: 'arn:aws:lambda:us-east-1:000000000000:function:caller',
        directory,
        handler: 'index.handler',
        memoryMegabytes: 1024,
        timeoutSeconds: 20,
        environment: {},
        principal: 'arn:aws:sts::000000000000:assumed-role/role/caller',
        statements: [
          { Effect: 'Allow', Action: ['s3:GetObject', 's3:PutObject'], Resource: `${bucket}/allowed/*` },
          { Effect: 'Allow', Action: 'logs:*', Resource: '*' },
        ],
        logGroup: 'caller',
        isTraced: false,
        retries: 0,
        failureQueue: undefined,
      },
      {
        AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(objectStore.address() as AddressInfo).port}`,
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'tests',
        AWS_SECRET_ACCESS_KEY: 'tests',
      },
      { log: () => {}, access: (attempt) => attempt.action.startsWith('s3:') && attempts.push(attempt) },
      threads,
    );
  });

  beforeEach(() => {
    arrived.length = 0;
    attempts.length = 0;
  });

  afterAll(async () => {
    await threads.stop();
    objectStore.close();
    rmSync(directory, { recursive: true });
  });

  const sentence = (action: string) =>
    `User: arn:aws:sts::000000000000:assumed-role/role/caller is not authorized to perform: s3:${action} on resource: ` +
    `${bucket}/denied/a&amp;b because no identity-based policy allows the s3:${action} action`;
  const refusal = (action: string) => ({
    status: 403,
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>${sentence(action)}</Message></Error>`,
  });
  const denied = { way: '', key: '/packages/denied/a&b' };

  it.each([
    ['get', 'GetObject'],
    ['callback', 'PutObject'],
    ['pipe', 'PutObject'],
    ['pipeline', 'PutObject'],
    ['expect', 'PutObject'],
  ])('by %s is refused as S3 refuses, and its call never leaves', async (way, action) => {
    expect(await lambda.invoke({ ...denied, way })).toEqual(refusal(action));
    expect(attempts).toMatchObject([{ action: `s3:${action}`, resource: `${bucket}/denied/a&b`, isAllowed: false }]);
    expect(arrived).toEqual([]);
  });

  it.each([
    ['sdkGet', 'GetObject'],
    ['sdkPut', 'PutObject'],
    ['sdkPutBuffer', 'PutObject'],
  ])('by %s gets the error of S3', async (way, action) => {
    const message = sentence(action).replace('&amp;', '&');
    expect(await lambda.invoke({ ...denied, way })).toEqual({ name: 'AccessDenied', message, status: 403 });
    expect(arrived).toEqual([]);
  });

  it('by sdkHead gets the status alone', async () => {
    expect(await lambda.invoke({ ...denied, way: 'sdkHead' })).toMatchObject({ status: 403 });
    expect(arrived).toEqual([]);
  });

  it.each([
    ['get', 'GET /packages/allowed/a '],
    ['callback', 'PUT /packages/allowed/a x'],
    ['pipe', `PUT /packages/allowed/a ${'x'.repeat(500_000)}`],
    ['pipeline', `PUT /packages/allowed/a ${'x'.repeat(500_000)}`],
    ['expect', `PUT /packages/allowed/a ${'x'.repeat(500_000)}`],
    ['sdkGet', 'GET /packages/allowed/a?x-id=GetObject '],
  ])('by %s with the right reaches S3, whole', async (way, line) => {
    await lambda.invoke({ way, key: '/packages/allowed/a' });
    expect(arrived).toEqual([line]);
  });

  it('uses a right that is reported when it is first used, not for each object', async () => {
    for (const name of ['b', 'c', 'd']) await lambda.invoke({ way: 'get', key: `/packages/allowed/${name}` });
    expect(arrived).toHaveLength(3);
    expect(attempts.length).toBeLessThanOrEqual(1);
  });
});
