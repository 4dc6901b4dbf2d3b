import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type ClientRequest, createServer, type IncomingMessage, request as openRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { gatewayResponses } from '../../../infra/api/gateway-responses.ts';
import { FunctionThreads } from '../../../infra/local/function-threads.ts';
import { Gateway } from '../../../infra/local/gateway.ts';
import { Lambda } from '../../../infra/local/lambda.ts';
import { type Reply, Wire, type WireRequest } from '../../harness/wire.ts';

/** A function that answers with its event, with what the query says, or with as many bytes; when it is held, not before there is a file. */
const handlerSource = `
  const { appendFileSync, existsSync } = require('node:fs');
  exports.handler = async (event) => {
    const { answer, bytes, isBroken, isHeld } = event.queryStringParameters ?? {};
    if (isHeld) appendFileSync(__dirname + '/begun', '.');
    while (isHeld && !existsSync(__dirname + '/goes')) await new Promise((resolve) => setTimeout(resolve, 50));
    if (isBroken) return { body: 'An answer needs a status.' };
    if (answer) return { statusCode: 200, ...JSON.parse(answer) };
    if (bytes === undefined) return { statusCode: 200, body: JSON.stringify(event) };
    const headers = { 'Content-Type': 'application/gzip', 'Content-Length': '999', ETag: '"e"', 'WWW-Authenticate': 'x' };
    return { statusCode: 200, headers, body: Buffer.alloc(Number(bytes)).toString('base64'), isBase64Encoded: true };
  };
`;
const arn = 'arn:aws:lambda:us-east-1:000000000000:function:echo';
const operation = {
  security: [],
  'x-amazon-apigateway-integration': {
    uri: `arn:aws:apigateway:us-east-1:lambda:path/functions/${arn}:live/invocations`,
  },
};
const api = {
  paths: {
    '/docs': { get: operation },
    '/files/{workspace}/{path+}': { get: operation, head: operation, put: operation },
    '/files/{workspace}/index': { get: operation },
  },
  components: { securitySchemes: {} },
  'x-amazon-apigateway-gateway-responses': gatewayResponses,
};

let directory: string;
const threads = new FunctionThreads();
let server: Server;
let wire: Wire;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'stockroom-gateway-'));
  writeFileSync(join(directory, 'index.js'), handlerSource);
  const definition = {
    id: 'echo',
    name: 'echo',
    arn,
    directory,
    handler: 'index.handler',
    memoryMegabytes: 128,
    timeoutSeconds: 60,
    environment: {},
    principal: 'echo',
    statements: [{ Effect: 'Allow', Action: 'logs:*', Resource: '*' } as const],
    logGroup: 'echo',
    isTraced: false,
    retries: 0,
    failureQueue: undefined,
  };
  const lambda = new Lambda(definition, {}, { log: () => {}, access: () => {} }, threads);
  const table = { input: { TableName: 'unused', AttributeDefinitions: [], KeySchema: [] }, timeToLive: '' };
  const assembly = {
    functions: [definition],
    table,
    store: { bucketName: 'unused', lifecycle: { staging: 0, uploads: 0 } },
    api,
    stage: 'api',
    schedules: [],
    pipe: { pattern: {}, template: '{}', source: '', detailType: '' },
  };
  const gateway = new Gateway(assembly, new Map([[arn, lambda]]));
  server = createServer((request, response) => void gateway.answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  wire = new Wire(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

afterAll(async () => {
  wire.close();
  server.close();
  await threads.stop();
  rmSync(directory, { recursive: true });
});

const send = (method: string, path: string, more: Partial<WireRequest> = {}): Promise<Reply> =>
  wire.send({ method, path, ...more });

const eventOf = async (...request: Parameters<typeof send>): Promise<APIGatewayProxyEvent> => {
  const { status, text } = await send(...request);
  expect(status).toBe(200);
  return JSON.parse(text) as APIGatewayProxyEvent;
};

type Answered = readonly [status: number | undefined, retryAfter: string | undefined, code: string | undefined];

/** A request whose answer waits until there is a file. */
interface Held {
  readonly request: ClientRequest;
  answered: Answered | undefined;
  readonly answer: Promise<Answered>;
}

const begun = (): string => join(directory, 'begun');
const isOpen = ({ answered }: Held): boolean => answered === undefined;
const answerOf = async ({ answer }: Held): Promise<Answered> => answer;
const connections = promisify((done: (error: Error | null, count: number) => void) => server.getConnections(done));

const hold = (): Held => {
  const { promise: answer, resolve } = Promise.withResolvers<Answered>();
  const { port } = server.address() as AddressInfo;
  const read = async (response: IncomingMessage): Promise<void> => {
    const { code } = (await json(response)) as { code?: string };
    held.answered = [response.statusCode, response.headers['retry-after'], code];
    resolve(held.answered);
  };
  const place = { port, host: '127.0.0.1', path: '/docs?isHeld=1', agent: false };
  const request = openRequest(place, (response) => void read(response));
  request.on('error', () => {}).end();
  const held: Held = { request, answered: undefined, answer };
  return held;
};

describe('A function receives from the local gateway', () => {
  it.each([
    ['/files/acme/a', 'a'],
    ['/files/acme/a/', 'a'],
    ['/files/acme/a//b', 'a//b'],
    ['/files/acme/@scope%2fname/-/x.tgz', '@scope%2fname/-/x.tgz'],
    ['/files/acme/@scope%2Fname', '@scope%2Fname'],
    ['/files/acme/a%2520b', 'a%2520b'],
    ['/files/acme/1.0+build', '1.0+build'],
    ['/files/acme/%C3%A9', '%C3%A9'],
    ['/files/acme/%2e%2e/../x', '%2e%2e/../x'],
  ])('the path %s as it was sent, and the rest of it without a trailing slash', async (path, rest) => {
    const { resource, requestContext, ...event } = await eventOf('GET', `${path}?a=1`);
    expect(event.path).toBe(path);
    expect(requestContext.path).toBe(path);
    expect([resource, requestContext.resourcePath]).toEqual(Array(2).fill('/files/{workspace}/{path+}'));
    expect(event.pathParameters).toEqual({ workspace: 'acme', path: rest });
  });

  it.each([
    ['/api/docs', '/docs'],
    ['/api/docs/', '/docs/'],
    ['/api/files/acme/api/x', '/files/acme/api/x'],
  ])('%s, which names the stage, as %s', async (sent, path) => {
    const event = await eventOf('GET', sent);
    expect([event.path, event.requestContext.path]).toEqual([path, sent]);
  });

  it.each([
    ['http://a.example:8080/docs?a=1', '/docs', 'a.example:8080'],
    ['HTTPS://name@a.example/api/docs', '/docs', 'a.example'],
  ])('%s, a whole URL, as its path and its host', async (url, path, host) => {
    const event = await eventOf('GET', url, { headers: [['host', 'b.example']] });
    expect([event.path, event.headers.Host, event.headers.host]).toEqual([path, host, undefined]);
  });

  it('the last value of a header or parameter that is there several times, and all of them beside it', async () => {
    const headers = [
      ['X-Custom', 'one'],
      ['x-custom', 'two'],
    ] as const;
    const event = await eventOf('GET', '/docs?a=1&b=&a=2', { headers });
    expect([event.headers['X-Custom'], event.multiValueHeaders['X-Custom']]).toEqual(['two', ['one', 'two']]);
    expect(event.queryStringParameters).toEqual({ a: '2', b: '' });
    expect(event.multiValueQueryStringParameters).toEqual({ a: ['1', '2'], b: [''] });
  });

  it('no word of an authorizer where a route has none', async () => {
    expect((await eventOf('GET', '/docs')).requestContext).not.toHaveProperty('authorizer');
  });

  it('no header that API Gateway keeps to itself, and the others in the case of the client', async () => {
    const kept = ['Content-MD5', 'Max-Forwards', 'Proxy-Authenticate', 'Server', 'TE', 'WWW-Authenticate', 'Upgrade'];
    const headers = [
      ...kept.map((name) => [name, 'x'] as const),
      ['Expect', '100-continue'],
      ['x-CUSTOM', 'x'],
    ] as const;
    const event = await eventOf('PUT', '/files/acme/a', { headers, body: 'x' });
    expect(Object.keys(event.headers).toSorted()).toEqual(['Host', 'X-Forwarded-For', 'X-Forwarded-Proto', 'x-CUSTOM']);
  });

  it.each(['application/json', 'application/gzip', undefined])(
    'a body of the media type %s byte for byte, in base64',
    async (mediaType) => {
      const body = Buffer.from([0x7b, 0x7d, 0x00, 0xff, 0xfe]);
      const headers = mediaType === undefined ? [] : [['Content-Type', mediaType] as const];
      const event = await eventOf('PUT', '/files/acme/a', { headers, body });
      expect([event.isBase64Encoded, Buffer.from(event.body ?? '', 'base64')]).toEqual([true, body]);
    },
  );
});

describe('The local gateway', () => {
  it.each([
    ['/files/acme/index', '/files/{workspace}/index'],
    ['/files/acme/index/', '/files/{workspace}/index'],
    ['/files/acme/index/a', '/files/{workspace}/{path+}'],
    ['/docs/', '/docs'],
  ])('serves %s by the most specific route, whatever its trailing slash', async (path, route) => {
    expect((await eventOf('GET', path)).resource).toBe(route);
  });

  it('leaves a method that the most specific route lacks to the next one', async () => {
    expect((await eventOf('PUT', '/files/acme/index')).resource).toBe('/files/{workspace}/{path+}');
  });

  it.each([
    ['GET', '/docs//'],
    ['GET', '/files/acme'],
    ['GET', '/files/acme/'],
    ['GET', '/files/acme//'],
    ['GET', '/files//a'],
    ['GET', '/api'],
    ['GET', '/api/'],
    ['GET', '/apidocs'],
    ['GET', '/api/api/docs'],
    ['POST', '/files/acme/a'],
    ['HEAD', '/docs'],
  ])('has no route for %s %s', async (method, path) => {
    expect((await send(method, path)).status).toBe(404);
  });

  it('refuses a body beyond 10 MB in words of its own, and in those of the API what a function does not take', async () => {
    const refusal = async (bytes: number) => {
      const { status, text } = await send('PUT', '/files/acme/a', { body: Buffer.alloc(bytes) });
      return [status, JSON.parse(text) as object];
    };
    const megabytes = 1024 * 1024;
    expect(await refusal(10 * megabytes + 1)).toEqual([413, { message: 'Request Too Long' }]);
    expect(await refusal(10 * megabytes)).toEqual([413, expect.objectContaining({ code: 'BODY_TOO_LARGE' })]);
  });

  it('refuses a path that is no percent-encoding', async () => {
    const { status, text } = await send('GET', '/files/acme/%zz');
    expect([status, (JSON.parse(text) as { code: string }).code]).toEqual([400, 'REQUEST_INVALID']);
  });

  it('answers HEAD as GET, with the length of the body in place of the body', async () => {
    const { date: _, ...head } = (await send('HEAD', '/files/acme/a?bytes=3000')).headers;
    const get = await send('GET', '/files/acme/a?bytes=3000');
    const told = { ...head, 'x-amzn-requestid': get.headers['x-amzn-requestid'] };
    expect(told).toEqual({ ...get.headers, date: undefined });
    expect(head).toMatchObject({ 'content-length': '3000', 'content-type': 'application/gzip', etag: '"e"' });
    expect((await send('HEAD', '/files/acme/a?bytes=3000')).text).toBe('');
  });

  it('renames headers of an answer that it sends itself', async () => {
    const { headers } = await send('GET', '/files/acme/a?bytes=3');
    expect(headers).toMatchObject({ 'x-amzn-remapped-content-length': '999', 'x-amzn-remapped-www-authenticate': 'x' });
    expect(headers).toMatchObject({ 'content-length': '3' });
    expect(headers['www-authenticate']).toBeUndefined();
  });

  const answered = async (answer: object): Promise<Reply> =>
    send('GET', `/docs?answer=${encodeURIComponent(JSON.stringify(answer))}`);

  it.each(['Connection', 'Content-Length', 'Date', 'Server', 'WWW-Authenticate'])(
    'renames %s of a function in whatever case it is written, also where it has several values',
    async (name) => {
      for (const spelling of [name, name.toLowerCase(), name.toUpperCase()])
        for (const answer of [{ headers: { [spelling]: 'of 1' } }, { multiValueHeaders: { [spelling]: ['of 1'] } }]) {
          const { headers } = await answered({ ...answer, body: 'the answer' });
          expect(headers[`x-amzn-remapped-${name.toLowerCase()}`]).toBe('of 1');
          expect(headers[name.toLowerCase()]).not.toBe('of 1');
        }
    },
  );

  it('says the time itself, and the length of what it sends', async () => {
    const headers = { Date: 'Thu, 01 Jan 1970 00:00:00 GMT', 'Content-Length': '1' };
    const reply = await answered({ headers, body: 'the answer' });
    expect(Math.abs(Date.parse(String(reply.headers.date)) - Date.now())).toBeLessThan(60_000);
    expect([reply.headers['content-length'], reply.text]).toEqual(['10', 'the answer']);
  });

  it('sends each value of a header with several, beside the headers that have one', async () => {
    const { headers } = await answered({
      headers: { 'X-One': 'a', ETag: '"e"' },
      multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'], 'X-Many': ['1', '2'] },
    });
    expect(headers).toMatchObject({ 'x-one': 'a', etag: '"e"', 'set-cookie': ['a=1', 'b=2'], 'x-many': '1, 2' });
  });

  it('answers 500 where a function answers without a status', async () => {
    const { status, text } = await send('GET', '/docs?isBroken=1');
    expect([status, (JSON.parse(text) as { code: string }).code]).toEqual([500, 'INTERNAL_ERROR']);
  });

  it('refuses HEAD with the length of the refusal', async () => {
    const { headers, text } = await send('HEAD', '/nowhere');
    expect(text).toBe('');
    expect(Number(headers['content-length'])).toBe(Buffer.byteLength((await send('GET', '/nowhere')).text));
  });

  it('503 SERVICE_UNAVAILABLE for a call beyond 64 that run and 1,000 that wait, whose places are free again when their clients go', async () => {
    const called = Array.from({ length: 64 }, () => hold());
    while (!existsSync(begun()) || statSync(begun()).size < 64) await pause(20);
    const others = Array.from({ length: 1_005 }, () => hold());
    while (others.filter(isOpen).length > 1_000) await pause(20);
    const refused = await Promise.all(others.filter((each) => !isOpen(each)).map(answerOf));
    expect(refused).toEqual(Array.from({ length: 5 }, () => [503, '1', 'SERVICE_UNAVAILABLE']));
    const open = await connections();
    const [gone, kept] = [others.filter(isOpen).slice(0, 10), others.filter(isOpen).slice(10)];
    for (const { request } of gone) request.destroy();
    while ((await connections()) > open - 10) await pause(20);
    const later = Array.from({ length: 11 }, () => hold());
    expect(await Promise.race(later.map(answerOf))).toEqual([503, '1', 'SERVICE_UNAVAILABLE']);
    expect(later.filter(isOpen)).toHaveLength(10);
    writeFileSync(join(directory, 'goes'), '');
    const answers = await Promise.all([...called, ...kept, ...later].map(answerOf));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(64 + 990 + 10);
    // The calls of those that went were never made.
    expect(statSync(begun()).size).toBe(64 + 990 + 10);
  });
});
