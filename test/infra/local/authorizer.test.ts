import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FunctionDefinition } from '../../../infra/local/assembly.ts';
import { Authorizer } from '../../../infra/local/authorization.ts';
import { FunctionThreads } from '../../../infra/local/function-threads.ts';
import { Lambda } from '../../../infra/local/lambda.ts';
import type { GatewayRequest } from '../../../infra/local/request.ts';

const arn = 'arn:aws:lambda:us-east-1:000000000000:function:authorizer';
const stage = 'arn:aws:execute-api:us-east-1:000000000000:local/api';

/** Answers as its credential says, and counts its calls. */
const handlerSource = `
  let calls = 0;
  exports.handler = async ({ headers }) => {
    calls += 1;
    if (headers.Authorization === 'unauthorized') throw new Error('Unauthorized');
    if (headers.Authorization === 'broken') throw new Error('broken');
    const answer = JSON.parse(headers.Authorization);
    return { ...answer, ...(answer.context && { context: { ...answer.context, calls } }) };
  };
`;
const definition: FunctionDefinition = {
  id: 'authorizer',
  name: 'authorizer',
  arn,
  directory: mkdtempSync(join(tmpdir(), 'stockroom-authorizer-')),
  handler: 'index.handler',
  memoryMegabytes: 128,
  timeoutSeconds: 5,
  environment: {},
  principal: 'authorizer',
  statements: [{ Effect: 'Allow', Action: 'logs:*', Resource: '*' }],
  logGroup: 'authorizer',
  isTraced: false,
  retries: 0,
  failureQueue: undefined,
};
const threads = new FunctionThreads();
const lambda = new Lambda(definition, {}, { log: () => {}, access: () => {} }, threads);

beforeAll(() => writeFileSync(join(definition.directory, 'index.js'), handlerSource));
afterAll(async () => {
  await threads.stop();
  rmSync(definition.directory, { recursive: true });
});

const authorizerFor = (seconds: number): Authorizer => {
  const settings = {
    identitySource: 'method.request.header.Authorization',
    authorizerUri: `arn:aws:apigateway:us-east-1:lambda:path/functions/${arn}:live/invocations`,
    authorizerResultTtlInSeconds: seconds,
  };
  const document = {
    paths: {},
    components: { securitySchemes: { stockroom: { 'x-amazon-apigateway-authorizer': settings } } },
    'x-amazon-apigateway-gateway-responses': {},
  };
  return new Authorizer('stockroom', document, new Map([[arn, lambda]]));
};

const decide = async (
  authorizer: Authorizer,
  credential: string | undefined,
  path = '/docs',
  name = 'Authorization',
) => {
  const request: GatewayRequest = {
    requestId: 'request',
    method: 'GET',
    path,
    basePath: '',
    headers: credential === undefined ? {} : { [name]: [credential] },
    query: {},
    sourceIp: '127.0.0.1',
    stage: 'api',
  };
  const route = { method: 'GET', path, functionArn: '', authorizer: 'stockroom' };
  const decision = await authorizer.decide(request, { route, parameters: {} });
  if ('refusal' in decision) return decision.refusal;
  const { integrationLatency, ...context } = decision.context;
  expect(integrationLatency).toEqual(expect.any(Number));
  return context;
};

const policy = (context: object, ...statements: readonly [effect: string, resource: string][]): string =>
  JSON.stringify({
    principalId: 'user',
    policyDocument: { Statement: statements.map(([Effect, Resource]) => ({ Effect, Resource })) },
    context,
  });
const callsIn = (decision: unknown): number => (decision as { calls: number }).calls;

describe('The authorizer of the local gateway', () => {
  it('is asked once for a credential within its time, and again after it', async () => {
    const authorizer = authorizerFor(1);
    const credential = policy({ name: 'one' }, ['Allow', `${stage}/*`]);
    const first = await decide(authorizer, credential);
    expect(first).toEqual({ name: 'one', principalId: 'user', calls: expect.any(Number) });
    expect(await decide(authorizer, credential, '/other')).toEqual(first);
    expect(callsIn(await decide(authorizer, policy({ name: 'two' }, ['Allow', '*'])))).toBe(callsIn(first) + 1);
    await pause(1_050);
    expect(callsIn(await decide(authorizer, credential))).toBe(callsIn(first) + 2);
    authorizer.clearCache();
    expect(callsIn(await decide(authorizer, credential))).toBe(callsIn(first) + 3);
  });

  it('remembers no refusal', async () => {
    const authorizer = authorizerFor(300);
    const credential = policy({ name: 'one' }, ['Allow', '*']);
    const before = callsIn(await decide(authorizer, credential));
    for (const refused of ['unauthorized', 'unauthorized', 'broken']) await decide(authorizer, refused);
    authorizer.clearCache();
    expect(callsIn(await decide(authorizer, credential))).toBe(before + 4);
  });

  it.each([
    ['no credential', undefined, 'UNAUTHORIZED'],
    ['an empty one', '', 'UNAUTHORIZED'],
    ['one that its function refuses', 'unauthorized', 'UNAUTHORIZED'],
    ['a function that fails', 'broken', 'AUTHORIZER_FAILURE'],
    ['an answer that is no policy', '{}', 'AUTHORIZER_CONFIGURATION_ERROR'],
    ['a policy of nobody', '{"policyDocument":{"Statement":[]}}', 'AUTHORIZER_CONFIGURATION_ERROR'],
    ['a context of objects', policy({ a: {} }, ['Allow', '*']), 'AUTHORIZER_CONFIGURATION_ERROR'],
    ['a policy that allows nothing', policy({}), 'ACCESS_DENIED'],
    ['a policy for another method', policy({}, ['Allow', `${stage}/POST/docs`]), 'ACCESS_DENIED'],
    ['a policy for another path', policy({}, ['Allow', `${stage}/GET/doc`]), 'ACCESS_DENIED'],
    ['a policy whose dots are no patterns', policy({}, ['Allow', `${stage}/GET/d.cs`]), 'ACCESS_DENIED'],
    ['a denial beside it', policy({}, ['Allow', '*'], ['Deny', `${stage}/GET/*`]), 'ACCESS_DENIED'],
  ])('refuses %s', async (_, credential, refusal) => {
    expect(await decide(authorizerFor(300), credential)).toBe(refusal);
  });

  it('passes over a denial of something else', async () => {
    const credential = policy({ name: 'one' }, ['Allow', `${stage}/GET/docs`], ['Deny', `${stage}/POST/*`]);
    expect(await decide(authorizerFor(300), credential)).toMatchObject({ name: 'one' });
  });

  it('finds the credential whatever the case of its header', async () => {
    expect(await decide(authorizerFor(300), 'unauthorized', '/docs', 'x-other')).toBe('UNAUTHORIZED');
    // Its function sees the name as it was sent, and fails at it.
    expect(await decide(authorizerFor(300), 'unauthorized', '/docs', 'authorization')).toBe('AUTHORIZER_FAILURE');
  });
});
