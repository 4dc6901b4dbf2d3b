import { ApiError } from '../../../shared/errors.ts';
import { Table } from '../../../shared/table/client.ts';
import type { Key } from '../../../shared/table/keys.ts';
import { useProxiedTable } from '../../harness/proxied-table.ts';
import { type Fault, faults, isPossible } from '../../harness/table-calls.ts';
import { uniqueName } from '../../harness/world.ts';
import { change, waysToWrite } from './ways-to-write.ts';

const engine = useProxiedTable('authorizer');

const newKey = (): Key => ({ pk: uniqueName(), sk: 'ITEM' });
const read = async (key: Key) => (await new Table().read([key])).find(key);
const insertInto = (table: Table, ...keys: Key[]) =>
  table.writeUnrecorded(keys.map((key) => ({ insert: { ...key, text: 'kept' } })));
const insert = (...keys: Key[]) => insertInto(new Table(), ...keys);
const add = (key: Key) =>
  new Table().update({ update: key, set: 'SET #mark = :mark', if: 'attribute_exists(pk)', values: { ':mark': 1 } });

const transientFaults = faults.filter((fault) => fault !== 'hang' && isPossible(fault, 'TransactWriteItems'));

describe('the table', () => {
  it('reads consistently what was written, in batches of 100', async () => {
    const keys = Array.from({ length: 101 }, newKey);
    await Promise.all([insert(...keys.slice(0, 60)), insert(...keys.slice(60, 100))]);
    engine.proxy.forget();
    const items = await new Table().read([...keys, ...keys]);
    expect(keys.filter((key) => items.find(key))).toEqual(keys.slice(0, 100));
    expect(engine.proxy.calls.map(({ operation, keys: named }) => [operation, named.length])).toEqual([
      ['BatchGetItem', 100],
      ['BatchGetItem', 1],
    ]);
  });

  it('answers an update with the item as it was, or with what failed the condition', async () => {
    const key = newKey();
    expect(await add(key)).toEqual({ refused: undefined });
    await insert(key);
    expect(await add(key)).toEqual({ before: expect.objectContaining({ ...key, text: 'kept' }) });
  });
});

describe.each(waysToWrite)('%s', (_way, writeTo) => {
  const send = (...keys: Key[]) =>
    writeTo(
      new Table(),
      keys.map((key) => ({ insert: { ...key, text: 'kept' } })),
    );

  it('is written all or nothing, and told what stood in the way', async () => {
    const [taken, free] = [newKey(), newKey()];
    await send(taken);
    const refusal = await send(free, taken);
    expect(refusal).toEqual([undefined, { found: expect.objectContaining({ ...taken, text: 'kept' }) }]);
    expect(await read(free)).toBeUndefined();
  });

  it('is tried again when the table hung twice', async () => {
    const key = newKey();
    engine.proxy.inject({ fault: 'hang', times: 2 });
    expect(await send(key)).toBeUndefined();
    expect(await read(key)).toMatchObject({ text: 'kept' });
  });

  describe('to a table that has forgotten the request token of the first try', () => {
    it('does not refuse a write for its own rows', async () => {
      const keys = [newKey(), newKey()];
      engine.proxy.forgetsRequestTokens = true;
      engine.proxy.inject({ fault: 'commit-then-drop', times: 1 });
      expect(await send(...keys)).toBeUndefined();
      expect(await send(...keys)).toHaveLength(2);
    });
  });

  describe.each(transientFaults)('to a table whose first answer is %s', (fault: Fault) => {
    it('still writes once, and takes its own rows for no refusal', async () => {
      const keys = [newKey(), newKey()];
      engine.proxy.inject({ fault, times: 1 });
      expect(await send(...keys)).toBeUndefined();
      for (const key of keys) expect(await read(key)).toMatchObject({ text: 'kept' });
    });

    it('still refuses what was there before', async () => {
      const key = newKey();
      await send(key);
      engine.proxy.inject({ fault, times: 1 });
      expect(await send(key)).toHaveLength(1);
    });
  });
});

describe.each(transientFaults)('A table whose first answer is %s', (fault: Fault) => {
  it('is still read', async () => {
    const key = newKey();
    await insert(key);
    engine.proxy.inject({ fault, times: 1 });
    expect(await read(key)).toMatchObject({ text: 'kept' });
  });

  it('is still updated', async () => {
    const key = newKey();
    await insert(key);
    engine.proxy.inject({ fault, times: 1 });
    expect(await add(key)).toMatchObject({ before: { text: 'kept' } });
  });
});

describe('a change that meets a conflict', () => {
  /** The keys of the record in each try, first try first. */
  const triedRecords = () =>
    engine.proxy.calls.flatMap(({ keys }) =>
      keys.filter((key) => key.startsWith('AUDIT#')).map((key) => key.split(' ') as [string, string]),
    );

  it('is recorded at the time of the try that succeeded, and once', async () => {
    const table = new Table();
    engine.proxy.forget();
    engine.proxy.inject({ fault: 'conflict', times: 2 });
    expect(await table.write([{ insert: { ...newKey(), text: 'kept' } }], change)).toBeUndefined();
    const tried = triedRecords();
    // The newest record has the first key.
    expect(tried).toHaveLength(3);
    expect(tried.map(([, sk]) => sk)).toEqual(
      tried
        .map(([, sk]) => sk)
        .toSorted()
        .toReversed(),
    );
    const stored = await Promise.all(tried.map(([pk, sk]) => read({ pk, sk })));
    const [record, ...others] = table.recorded;
    expect(stored).toEqual([undefined, undefined, expect.objectContaining({ recordId: record?.recordId })]);
    expect(others).toEqual([]);
  });

  it('keeps its record where an earlier try may have succeeded', async () => {
    const table = new Table();
    engine.proxy.forget();
    engine.proxy.inject({ fault: 'commit-then-drop', times: 1 }, { fault: 'conflict', after: 1, times: 1 });
    expect(await table.write([{ insert: { ...newKey(), text: 'kept' } }], change)).toBeUndefined();
    expect(triedRecords()).toHaveLength(3);
    expect(new Set(triedRecords().map(String)).size).toBe(1);
    expect(table.recorded).toHaveLength(1);
  });
});

describe('a table that leaves keys of a batch unprocessed', () => {
  it('is asked for the rest until all is read, consistently', async () => {
    const keys = Array.from({ length: 9 }, newKey);
    await insert(...keys);
    engine.proxy.forget();
    engine.proxy.inject({ fault: 'unprocessed', times: 3 });
    const items = await new Table().read(keys);
    expect(keys.filter((key) => items.find(key))).toEqual(keys);
    expect(engine.proxy.calls.map(({ keys: named, isConsistent }) => [named.length, isConsistent])).toEqual([
      [9, true],
      [5, true],
      [3, true],
      [2, true],
    ]);
  });

  it('counts that as throttling, which the log line of the request tells', async () => {
    const table = new Table();
    engine.proxy.inject({ fault: 'unprocessed', times: 2 });
    await table.read([newKey()]);
    expect(table.usage).toEqual({ calls: 3, conflicts: 0, throttles: 2 });
  });

  it('is given up inside the budget of the request, with pauses that grow', async () => {
    engine.proxy.forget();
    engine.proxy.inject({ fault: 'unprocessed' });
    const startedAt = Date.now();
    await expect(new Table(2_000).read([newKey(), newKey()])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(Date.now() - startedAt).toBeLessThan(2_500);
    expect(engine.proxy.calls.length).toBeLessThan(40);
  });
});

describe('a table that does not answer', () => {
  it('is read again when it hung once', async () => {
    const key = newKey();
    await insert(key);
    engine.proxy.inject({ fault: 'hang', times: 1 });
    expect(await read(key)).toMatchObject({ text: 'kept' });
  });

  it.each<Fault>(['throttle', 'conflict', 'server-error'])(
    'is given up inside the budget of the request: %s without end',
    async (fault) => {
      engine.proxy.inject({ fault });
      const startedAt = Date.now();
      await expect(insert(newKey())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      expect(Date.now() - startedAt).toBeLessThan(8_500);
    },
  );

  it('that throttles is asked ten times, though there is time for more', async () => {
    const table = new Table(30_000);
    engine.proxy.inject({ fault: 'throttle' });
    await expect(insertInto(table, newKey())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(table.usage.calls).toBe(10);
  });

  it('is given up at the end of a budget that is shorter', async () => {
    engine.proxy.inject({ fault: 'hang' });
    const startedAt = Date.now();
    await expect(new Table(300).read([newKey()])).rejects.toBeInstanceOf(ApiError);
    expect(Date.now() - startedAt).toBeLessThan(1_000);
  });
});
