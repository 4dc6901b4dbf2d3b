import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayResponses } from '../../../infra/api/gateway-responses.ts';
import { FunctionThreads } from '../../../infra/local/function-threads.ts';
import { Gateway } from '../../../infra/local/gateway.ts';
import { Lambda } from '../../../infra/local/lambda.ts';
import { type Reply, Wire } from '../../harness/wire.ts';

/** Both functions: the authorizer does what the credential says, and the endpoint answers 200. */
const handlerSource = `
  const allow = (methodArn, more) => ({
    principalId: 'somebody',
    policyDocument: { Version: '2012-10-17', Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: methodArn }] },
    ...more,
  });
  exports.handler = async ({ type, methodArn, headers }) => {
    if (type !== 'REQUEST') return { statusCode: 200, body: '{}' };
    switch (headers.Authorization) {
      case 'refused': throw new Error('Unauthorized');
      case 'fails': throw new TypeError('a bug');
      case 'hangs': return new Promise((resolve) => setTimeout(resolve, 60_000));
      case 'denied': return allow(methodArn + '/other');
      case 'no policy': return { isAuthorized: true };
      case 'nested context': return allow(methodArn, { context: { user: { id: 1 } } });
      default: return allow(methodArn);
    }
  };
`;
const arn = 'arn:aws:lambda:us-east-1:000000000000:function:both';
const invocation = `arn:aws:apigateway:us-east-1:lambda:path/functions/${arn}:live/invocations`;
const api = {
  paths: { '/docs': { get: { security: [{ gate: [] }], 'x-amazon-apigateway-integration': { uri: invocation } } } },
  components: {
    securitySchemes: {
      gate: {
        'x-amazon-apigateway-authorizer': {
          identitySource: 'method.request.header.Authorization',
          authorizerUri: invocation,
          authorizerResultTtlInSeconds: 300,
        },
      },
    },
  },
  'x-amazon-apigateway-gateway-responses': gatewayResponses,
};

let directory: string;
const threads = new FunctionThreads();
let server: Server;
let wire: Wire;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'stockroom-authorizer-'));
  writeFileSync(join(directory, 'index.js'), handlerSource);
  const definition = {
    id: 'both',
    name: 'both',
    arn,
    directory,
    handler: 'index.handler',
    memoryMegabytes: 128,
    timeoutSeconds: 1,
    environment: {},
    principal: 'both',
    statements: [],
    logGroup: 'both',
    isTraced: false,
    retries: 0,
    failureQueue: undefined,
  };
  const lambda = new Lambda(definition, {}, { log: () => {}, access: () => {} }, threads);
  const table = { input: { TableName: 'unused', AttributeDefinitions: [], KeySchema: [] }, timeToLive: '' };
  const store = { bucketName: 'unused', lifecycle: { staging: 0, uploads: 0 } };
  const pipe = { pattern: {}, template: '{}', source: '', detailType: '' };
  const assembly = { functions: [definition], table, store, api, stage: 'api', schedules: [], pipe };
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

const send = (credential?: string): Promise<Reply> =>
  wire.send({
    method: 'GET',
    path: '/docs',
    ...(credential !== undefined && { headers: [['Authorization', credential]] }),
  });

describe('The local gateway answers a request whose authorizer', () => {
  it.each([
    ['lets it pass', 'good', 200, undefined],
    ['was not asked, because there is no credential', undefined, 401, 'UNAUTHENTICATED'],
    ['refuses the credential', 'refused', 401, 'UNAUTHENTICATED'],
    ['allows other paths only', 'denied', 401, 'UNAUTHENTICATED'],
    // Faults of the service, whatever the credential: clients come back later with the same one.
    ['ends with an error', 'fails', 503, 'SERVICE_UNAVAILABLE'],
    ['runs out of time', 'hangs', 503, 'SERVICE_UNAVAILABLE'],
    ['answers no policy', 'no policy', 503, 'SERVICE_UNAVAILABLE'],
    ['answers a context that is not flat', 'nested context', 503, 'SERVICE_UNAVAILABLE'],
  ])('%s', async (_, credential, status, code) => {
    const reply = await send(credential);
    const { code: refusal, detail, error } = JSON.parse(reply.text) as Readonly<Record<string, string | undefined>>;
    // npm prints the member `error`, and Yarn classic takes a 401 without it for a success.
    expect([reply.status, refusal, error]).toEqual([status, code, detail]);
    expect(reply.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
    expect('www-authenticate' in reply.headers).toBe(status === 401);
  });
});
