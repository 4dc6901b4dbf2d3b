import { SignatureV4 } from '@smithy/signature-v4';
import { Sha256 } from '../../../shared/signed-requests.ts';
import { Table } from '../../../shared/table/client.ts';
import { type ReceivedCall, type TableAnswer, tableAccess, useAnsweringTable } from './answering-table.ts';
import { writeChange } from './ways-to-write.ts';

/** What the table answers to the next calls, in turn. After that, it does what it is asked for. */
const answers: TableAnswer[] = [];
const received: ReceivedCall[] = [];
useAnsweringTable((call) => {
  received.push(call);
  return answers.shift() ?? { status: 200, body: {} };
});

beforeEach(() => {
  received.length = 0;
});

const write = async () => writeChange(new Table(), [{ put: { pk: 'A', sk: 'ü' } }]);

const signedNames = ({ headers }: ReceivedCall): string[] =>
  (/SignedHeaders=([^,]+),/.exec(String(headers.authorization))?.[1] ?? '').split(';');

const signedAt = ({ headers }: ReceivedCall): Date =>
  new Date(String(headers['x-amz-date']).replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, '$1-$2-$3T$4:$5:$6Z'));

/** What the signer of the SDK says of the headers that are signed. */
const expectedBySdk = async (call: ReceivedCall): Promise<unknown> => {
  const names = signedNames(call);
  const headers = Object.fromEntries(names.map((name) => [name, String(call.headers[name])]));
  const signer = new SignatureV4({ service: 'dynamodb', ...tableAccess, sha256: Sha256, applyChecksum: false });
  const request = { method: 'POST', protocol: 'http:', hostname: '127.0.0.1', path: '/', query: {}, body: call.body };
  return (await signer.sign({ ...request, headers }, { signingDate: signedAt(call) })).headers.authorization;
};

describe('A change', () => {
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
