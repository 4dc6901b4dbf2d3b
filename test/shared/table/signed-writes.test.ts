import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SignatureV4 } from '@smithy/signature-v4';
import { environment } from '../../../shared/config.ts';
import { Sha256 } from '../../../shared/signed-requests.ts';
import { Table } from '../../../shared/table/client.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the table answers to the next calls, in turn. After that, it does what it is asked for. */
const answers: { readonly status: number; readonly body: object; readonly date?: Date }[] = [];
const received: Received[] = [];
let server: Server;

const access = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'tests', secretAccessKey: 'secret', sessionToken: 'session of the tests' },
};

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  received.push({ headers: request.headers, body: await text(request) });
  const { status, body, date } = answers.shift() ?? { status: 200, body: {} };
  response.writeHead(status, date && { Date: date.toUTCString() }).end(JSON.stringify(body));
};

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  Object.assign(process.env, {
    [environment.tableName]: 'table',
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_REGION: access.region,
    AWS_ACCESS_KEY_ID: access.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: access.credentials.secretAccessKey,
    AWS_SESSION_TOKEN: access.credentials.sessionToken,
  });
});

beforeEach(() => {
  received.length = 0;
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const write = async () => new Table().writeUnrecorded([{ put: { pk: 'A', sk: 'ü' } }]);

const signedNames = ({ headers }: Received): string[] =>
  (/SignedHeaders=([^,]+),/.exec(String(headers.authorization))?.[1] ?? '').split(';');

const signedAt = ({ headers }: Received): Date =>
  new Date(String(headers['x-amz-date']).replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, '$1-$2-$3T$4:$5:$6Z'));

/** What the signer of the SDK says of the headers that are signed. */
const expectedBySdk = async (call: Received): Promise<unknown> => {
  const names = signedNames(call);
  const headers = Object.fromEntries(names.map((name) => [name, String(call.headers[name])]));
  const signer = new SignatureV4({ service: 'dynamodb', ...access, sha256: Sha256, applyChecksum: false });
  const request = { method: 'POST', protocol: 'http:', hostname: '127.0.0.1', path: '/', query: {}, body: call.body };
  return (await signer.sign({ ...request, headers }, { signingDate: signedAt(call) })).headers.authorization;
};

describe('A write to the table', () => {
  it('is signed in each try, but for what may be another where it arrives', async () => {
    answers.push({ status: 500, body: { __type: 'InternalServerError' } });
    expect(await write()).toBeUndefined();
    expect(received).toHaveLength(2);
    for (const call of received) {
      expect(call.headers.authorization).toEqual(await expectedBySdk(call));
      expect(signedNames(call)).toEqual(expect.arrayContaining(['host', 'x-amz-security-token', 'x-amz-target']));
      expect(call.headers['user-agent']).toMatch(/^aws-sdk-js\//);
      expect(signedNames(call)).not.toContain('user-agent');
    }
  });

  it('is signed again with the time of the table when the clock is wrong', async () => {
    const hour = 3_600_000;
    const body = { __type: 'com.amazon.coral.service#RequestTimeTooSkewed' };
    answers.push({ status: 400, body, date: new Date(Date.now() + hour) });
    expect(await write()).toBeUndefined();
    const [first, second] = received.map((call) => signedAt(call).getTime() - Date.now());
    expect(Math.abs(first ?? hour)).toBeLessThan(60_000);
    expect(Math.abs((second ?? 0) - hour)).toBeLessThan(60_000);
  });
});
