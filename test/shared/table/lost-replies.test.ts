import { Table } from '../../../shared/table/client.ts';
import type { Key } from '../../../shared/table/keys.ts';
import { useProxiedTable } from '../../harness/proxied-table.ts';
import { uniqueName } from '../../harness/world.ts';
import { waysToWrite } from './ways-to-write.ts';

const engine = useProxiedTable('authorizer');

const operation = 'TransactWriteItems';
const newKey = (): Key => ({ pk: uniqueName(), sk: 'ITEM' });
const isThere = async (key: Key) => (await new Table().read([key])).find(key) !== undefined;

/** The SDK tries a call as often itself, and so does a plain call. */
const triesOfSdk = 3;

describe.each(waysToWrite)('%s of which replies are lost', (_way, writeTo) => {
  const insert = (key: Key, milliseconds?: number) =>
    writeTo(new Table(milliseconds), [{ insert: { ...key, text: 'kept' } }]);

  it('is a success if it was done, although no reply comes', async () => {
    const key = newKey();
    engine.proxy.inject(
      { fault: 'commit-then-drop', operation, times: 1 },
      { fault: 'server-error', operation, after: 1 },
    );
    expect(await insert(key)).toBeUndefined();
    engine.proxy.heal();
    expect(await isThere(key)).toBe(true);
  });

  it('is a success if it was done, although others conflict with each further try until the time is over', async () => {
    const begin = Date.now();
    engine.proxy.inject({ fault: 'commit-then-drop', operation, times: 1 }, { fault: 'conflict', operation, after: 1 });
    expect(await insert(newKey(), 2_000)).toBeUndefined();
    expect(Date.now() - begin).toBeLessThan(2_500);
  });

  it('is unavailable when its time is over, the look for what was done and the last try included', async () => {
    const begin = Date.now();
    engine.proxy.inject({ fault: 'drop', operation, times: 1 }, { fault: 'conflict', operation, after: 1 });
    await expect(insert(newKey(), 4_000)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    // The reserve of a second is a part of the four.
    expect(Date.now() - begin).toBeLessThan(4_700);
  });

  it.each([1_000, 1_001, 999])('is a success if it was done in one of %i milliseconds', async (milliseconds) => {
    const isSuccess = async (): Promise<boolean> => {
      engine.proxy.heal();
      engine.proxy.inject(
        { fault: 'commit-then-drop', operation, times: 1 },
        { fault: 'server-error', operation, after: 1 },
      );
      return insert(newKey(), milliseconds).then(
        () => true,
        () => false,
      );
    };
    // A busy machine may miss the quarter of a second that is left for the look; without one, each try misses it.
    expect((await isSuccess()) || (await isSuccess()) || (await isSuccess())).toBe(true);
  });

  it('is sent once more if it was not done', async () => {
    const key = newKey();
    engine.proxy.inject({ fault: 'server-error', operation, times: triesOfSdk });
    expect(await insert(key)).toBeUndefined();
    expect(await isThere(key)).toBe(true);
  });

  it('has all of its time left for others who conflict with that', async () => {
    const key = newKey();
    engine.proxy.inject(
      { fault: 'server-error', operation, times: triesOfSdk },
      { fault: 'conflict', operation, after: triesOfSdk },
    );
    const healing = setTimeout(() => engine.proxy.heal(), 3_000);
    expect(await insert(key, 20_000)).toBeUndefined();
    clearTimeout(healing);
    expect(await isThere(key)).toBe(true);
  });

  it('is refused for the rows of others, then as at its first try', async () => {
    const key = newKey();
    await insert(key);
    engine.proxy.inject({ fault: 'server-error', operation, times: triesOfSdk });
    expect(await insert(key)).toHaveLength(1);
  });

  it('is unavailable if nobody can know', async () => {
    const key = newKey();
    engine.proxy.inject({ fault: 'server-error' });
    await expect(insert(key)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    engine.proxy.heal();
    expect(await isThere(key)).toBe(false);
  });
});
