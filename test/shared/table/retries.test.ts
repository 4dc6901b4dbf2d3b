import { randomUUID } from 'node:crypto';
import { Table } from '../../../shared/table/client.ts';
import { type TableAnswer, useAnsweringTable } from './answering-table.ts';
import { waysToWrite } from './ways-to-write.ts';

const namespaceOfErrors = 'com.amazonaws.dynamodb.v20120810';
const refusal = (name: string, rest: object = {}): TableAnswer => ({
  status: 400,
  body: { __type: `${namespaceOfErrors}#${name}`, message: 'no', ...rest },
});
const cancelled = (...codes: string[]): TableAnswer =>
  refusal('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) });

/** A table that gives each caller, by the first key of a write, the answers in turn, and then accepts. */
const answers = new Map<string, TableAnswer[]>();
useAnsweringTable(({ body }) => {
  const [, key = ''] = /"pk":\{"S":"([^"]+)"/.exec(body) ?? [];
  return answers.get(key)?.shift() ?? { status: 200, body: {} };
});

describe.each(waysToWrite)('%s', (_way, writeTo) => {
  /** Writes to the table, which first gives these answers; returns the cost, and how long it took. */
  const write = async (...before: TableAnswer[]) => {
    const pk = randomUUID();
    answers.set(pk, [...before]);
    const table = new Table();
    const start = performance.now();
    const refused = await writeTo(table, [{ insert: { pk, sk: 'ITEM' } }]);
    return { refused, usage: table.usage, milliseconds: performance.now() - start };
  };

  describe('is tried again after', () => {
    it.each(['TransactionConflict', 'ProvisionedThroughputExceeded', 'ThrottlingError', 'RequestLimitExceeded'])(
      'the reason %s for one of its actions',
      async (code) => {
        const { refused, usage } = await write(cancelled('None', code));
        expect([refused, usage.calls, usage.conflicts + usage.throttles]).toEqual([undefined, 2, 1]);
      },
    );

    it('a conflict of an update', async () => {
      const { refused, usage } = await write(refusal('TransactionConflictException'));
      expect([refused, usage]).toEqual([undefined, { calls: 2, conflicts: 1, throttles: 0 }]);
    });

    // The SDK itself sends such a call three times before it fails.
    it.each([
      ['TransactionInProgressException', { conflicts: 1, throttles: 0 }],
      ['ProvisionedThroughputExceededException', { conflicts: 0, throttles: 1 }],
      ['ThrottlingException', { conflicts: 0, throttles: 1 }],
      ['RequestLimitExceeded', { conflicts: 0, throttles: 1 }],
    ])('the error %s, again and again', async (name, counts) => {
      const { refused, usage } = await write(refusal(name), refusal(name), refusal(name));
      expect([refused, usage]).toEqual([undefined, { calls: 2, ...counts }]);
    });

    it('nothing that would fail again', async () => {
      await expect(write(refusal('ValidationException'))).rejects.toThrow('no');
      const { refused, usage } = await write(cancelled('ConditionalCheckFailed'));
      expect([refused, usage.calls]).toEqual([[{ found: undefined }], 1]);
    });
  });

  describe('has pauses before its next try that', () => {
    it('are random up to their bounds, so that writers who met do not meet again', async () => {
      const bounds = [25, 50, 100, 200, 400, 800, 800, 800];
      const random = jest.spyOn(Math, 'random').mockReturnValue(0);
      try {
        const { usage, milliseconds } = await write(...bounds.map(() => cancelled('TransactionConflict')));
        expect(usage.conflicts).toBe(bounds.length);
        expect(milliseconds).toBeLessThan(bounds.reduce((sum, bound) => sum + bound));
      } finally {
        random.mockRestore();
      }
    });
  });
});
