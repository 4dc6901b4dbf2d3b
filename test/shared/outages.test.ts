import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const root = join(__dirname, '..', '..');

/** Calls that fail in every way, in a process of Node's own: the errors of Node are no errors to a test in jest's sandbox. */
const script = `
  import { once } from 'node:events';
  import { createServer } from 'node:http';
  import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
  const { isOutage } = await import('${pathToFileURL(join(root, 'shared', 'outages.ts')).href}');

  const failureAt = async (endpoint, options) => {
    const credentials = { accessKeyId: 'tests', secretAccessKey: 'tests' };
    const requestHandler = { connectionTimeout: 500, requestTimeout: 200, throwOnRequestTimeout: true };
    const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1, requestHandler });
    return client.send(new ListTablesCommand(), options).then(() => 'none', (error) => error);
  };
  const failureOf = async (answer, options) => {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const error = await failureAt('http://127.0.0.1:' + server.address().port, options);
    server.close();
    server.closeAllConnections();
    return error;
  };
  const closedPort = async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address();
    await new Promise((resolve) => server.close(resolve));
    return port;
  };
  const refusal = (status, name) => (_, response) =>
    response.writeHead(status).end(JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#' + name }));

  const errors = {
    refusedConnection: await failureAt('http://127.0.0.1:' + (await closedPort())),
    unknownHost: await failureAt('http://table.invalid'),
    brokenConnection: await failureOf(({ socket }) => socket.destroy()),
    noAnswer: await failureOf(() => {}),
    noAnswerInTheRequest: await failureOf(() => {}, { abortSignal: AbortSignal.timeout(50) }),
    serverError: await failureOf(refusal(500, 'InternalServerError')),
    bareServerError: await failureOf((_, response) => response.writeHead(503).end()),
    refusedCall: await failureOf(refusal(400, 'ValidationException')),
    missingRight: await failureOf(refusal(400, 'AccessDeniedException')),
    defect: new TypeError('x is undefined'),
    noError: 'ECONNREFUSED',
  };
  const answers = Object.entries(errors).map(([name, error]) => [name, isOutage(error)]);
  process.stdout.write(JSON.stringify(Object.fromEntries(answers)));
`;

describe('An outage of AWS', () => {
  it('is each way of not being answered, and no refusal', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      env: { PATH: process.env.PATH },
    });
    expect(JSON.parse(stdout)).toEqual({
      refusedConnection: true,
      unknownHost: true,
      brokenConnection: true,
      noAnswer: true,
      noAnswerInTheRequest: true,
      serverError: true,
      bareServerError: true,
      refusedCall: false,
      missingRight: false,
      defect: false,
      noError: false,
    });
  });
});
