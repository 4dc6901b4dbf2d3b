import { Table } from '../../../shared/table/client.ts';
import type { Key } from '../../../shared/table/keys.ts';
import { type ReceivedCall, type TableAnswer, useAnsweringTable } from './answering-table.ts';

/** What the table does with the next calls, in turn: it answers, or is silent. After that it has nothing. */
const answers: (TableAnswer | 'silence')[] = [];
const received: ReceivedCall[] = [];
useAnsweringTable((call) => {
  received.push(call);
  const next = answers.shift() ?? { status: 200, body: { Responses: { table: [] } } };
  return next === 'silence' ? undefined : next;
});

beforeEach(() => {
  answers.length = 0;
  received.length = 0;
});

const key: Key = { pk: 'WORKSPACE#1', sk: 'WORKSPACE' };
const refusal = (status: number, name: string) => ({
  status,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'no' },
});
const read = async (table = new Table()) => (await table.read([key])).find(key);

describe('A read of the table', () => {
  it('is signed with the credentials of the function, its session and its target included', async () => {
    await read();
    const [{ headers, body }] = received as [ReceivedCall];
    expect(headers).toMatchObject({
      'x-amz-target': 'DynamoDB_20120810.BatchGetItem',
      'x-amz-security-token': 'session of the tests',
      'content-type': 'application/x-amz-json-1.0',
    });
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=tests\/\d{8}\/us-east-1\/dynamodb\/aws4_request, SignedHeaders=\S*host;\S*x-amz-date;x-amz-security-token;x-amz-target, Signature=[0-9a-f]{64}$/,
    );
    expect(JSON.parse(body)).toEqual({
      RequestItems: { table: { Keys: [{ pk: { S: key.pk }, sk: { S: key.sk } }], ConsistentRead: true } },
    });
  });

  it('brings each type of attribute as it was written', async () => {
    const item = {
      pk: { S: key.pk },
      sk: { S: key.sk },
      text: { S: '' },
      number: { N: '1.5' },
      no: { BOOL: false },
      nothing: { NULL: true },
      bytes: { B: 'AAH/' },
      set: { SS: ['a', 'b'] },
      list: { L: [{ N: '1' }, { M: { deep: { B: '' } } }] },
    };
    answers.push({ status: 200, body: { Responses: { table: [item] } } });
    expect(await read()).toEqual({
      ...key,
      text: '',
      number: 1.5,
      no: false,
      nothing: null,
      bytes: new Uint8Array([0, 1, 255]),
      set: new Set(['a', 'b']),
      list: [1, { deep: new Uint8Array() }],
    });
  });

  it.each([
    ['fails', refusal(500, 'InternalServerError')],
    ['is silent', 'silence' as const],
  ])('is sent up to three times as one call while the table %s', async (_, failure) => {
    answers.push(failure, failure);
    const table = new Table();
    expect(await read(table)).toBeUndefined();
    expect(table.usage).toEqual({ calls: 1, conflicts: 0, throttles: 0 });
    expect(received).toHaveLength(3);
    expect(new Set(received.map(({ headers }) => headers['amz-sdk-invocation-id'])).size).toBe(1);
  });

  it('is unavailable after the third failure', async () => {
    answers.push(...Array.from({ length: 3 }, () => refusal(503, 'ServiceUnavailable')));
    await expect(read()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(received).toHaveLength(3);
  });

  it('that is throttled again and again is a second call, and counts as throttled', async () => {
    answers.push(...Array.from({ length: 3 }, () => refusal(400, 'ProvisionedThroughputExceededException')));
    const table = new Table();
    await read(table);
    expect(table.usage).toEqual({ calls: 2, conflicts: 0, throttles: 1 });
    expect(received).toHaveLength(4);
  });

  it('that is refused is not sent again, and keeps the name of the error', async () => {
    answers.push(refusal(400, 'AccessDeniedException'));
    await expect(read()).rejects.toMatchObject({ name: 'AccessDeniedException', $fault: 'client' });
    expect(received).toHaveLength(1);
  });

  it('ends with the time of its request', async () => {
    answers.push('silence');
    const startedAt = Date.now();
    await expect(read(new Table(200))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(Date.now() - startedAt).toBeLessThan(1_000);
    expect(received).toHaveLength(1);
  });
});

describe('A write that is sent plainly', () => {
  const bytes = new Uint8Array([0, 1, 255]);
  const written = async (value: unknown) => {
    const refused = await new Table().writeUnrecorded([{ put: { ...key, value } }]);
    const [{ body }] = received as [ReceivedCall];
    const { TransactItems } = JSON.parse(body) as { TransactItems: [{ Put: { Item: { value: unknown } } }] };
    return { refused, value: TransactItems[0].Put.Item.value };
  };

  it.each([
    ['an array', bytes],
    ['a buffer', Buffer.from(bytes)],
    ['a part of a larger one', new Uint8Array([9, 0, 1, 255, 9]).subarray(1, 4)],
  ])('has bytes in base64, from %s', async (_, value) => {
    expect(await written(value)).toEqual({ refused: undefined, value: { B: 'AAH/' } });
  });

  it('is refused with what its conditions met, however large that is', async () => {
    const item = { pk: { S: 'A' }, sk: { S: 'x'.repeat(2_000) }, bytes: { B: 'AAH/' } };
    const found = { pk: 'A', sk: 'x'.repeat(2_000), bytes };
    const reasons = [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Item: item }];
    answers.push({
      status: 400,
      body: { __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException', CancellationReasons: reasons },
    });
    expect((await written('')).refused).toEqual([undefined, { found }]);
    answers.push({ status: 400, body: { ...refusal(400, 'ConditionalCheckFailedException').body, Item: item } });
    expect(await new Table().update({ update: key, set: 'SET #a = :a', values: { ':a': 1 } })).toEqual({
      refused: found,
    });
  });

  it('is made anew only if its one try was surely refused', async () => {
    const conflict = {
      status: 400,
      body: {
        __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
        CancellationReasons: [{ Code: 'TransactionConflict' }],
      },
    };
    const tokens = async (...before: TableAnswer[]): Promise<number> => {
      received.length = 0;
      answers.push(...before);
      await written('');
      const sent = received.map(({ body }) => (JSON.parse(body) as { ClientRequestToken: string }).ClientRequestToken);
      return new Set(sent).size;
    };
    expect(await tokens(conflict)).toBe(2);
    expect(await tokens(refusal(500, 'InternalServerError'), conflict)).toBe(1);
  });
});

// The last one: what it gives up may still be on its way.
describe('A read of a table that always throttles', () => {
  it('waits for no further try when the time of its request is over', async () => {
    answers.push(...Array.from({ length: 200 }, () => refusal(400, 'ProvisionedThroughputExceededException')));
    const startedAt = performance.now();
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, async () => read(new Table(50))));
    // The SDK would wait for up to a second before its next try.
    expect(performance.now() - startedAt).toBeLessThan(600);
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
  });
});
