import { Table } from '../../../shared/table/client.ts';
import type { Key } from '../../../shared/table/keys.ts';
import { startProxiedTable } from '../../harness/proxied-table.ts';
import type { TableProxy } from '../../harness/table-proxy.ts';
import { uniqueName } from '../../harness/world.ts';

let proxy: TableProxy;
let stop: (() => Promise<void>) | undefined;

beforeAll(async () => {
  ({ proxy, stop } = await startProxiedTable('authorizer'));
});

afterEach(() => {
  proxy.heal();
  expect(proxy.violations.splice(0)).toEqual([]);
});

afterAll(async () => stop?.());

const operation = 'TransactWriteItems';
const newKey = (): Key => ({ pk: uniqueName(), sk: 'ITEM' });
const isThere = async (key: Key) => (await new Table().read([key])).find(key) !== undefined;
const insert = (key: Key, milliseconds?: number) =>
  new Table(milliseconds).writeUnrecorded([{ insert: { ...key, text: 'kept' } }]);

/** The SDK tries a call as often itself. */
const triesOfSdk = 3;

describe('A write whose replies are lost', () => {
  it('is a success if it was done, although no reply comes', async () => {
    const key = newKey();
    proxy.inject({ fault: 'commit-then-drop', operation, times: 1 }, { fault: 'server-error', operation, after: 1 });
    expect(await insert(key)).toBeUndefined();
    proxy.heal();
    expect(await isThere(key)).toBe(true);
  });

  it('is a success if it was done, although others conflict with each further try until the time is over', async () => {
    const begin = Date.now();
    proxy.inject({ fault: 'commit-then-drop', operation, times: 1 }, { fault: 'conflict', operation, after: 1 });
    expect(await insert(newKey(), 2_000)).toBeUndefined();
    expect(Date.now() - begin).toBeLessThan(2_500);
  });

  it.each([1_000, 1_001, 999])('is a success if it was done in one of %i milliseconds', async (milliseconds) => {
    proxy.inject({ fault: 'commit-then-drop', operation, times: 1 }, { fault: 'server-error', operation, after: 1 });
    expect(await insert(newKey(), milliseconds)).toBeUndefined();
  });

  it('is sent once more if it was not done', async () => {
    const key = newKey();
    proxy.inject({ fault: 'server-error', operation, times: triesOfSdk });
    expect(await insert(key)).toBeUndefined();
    expect(await isThere(key)).toBe(true);
  });

  it('is refused for the rows of others, then as at its first try', async () => {
    const key = newKey();
    await insert(key);
    proxy.inject({ fault: 'server-error', operation, times: triesOfSdk });
    expect(await insert(key)).toHaveLength(1);
  });

  it('is unavailable if nobody can know', async () => {
    const key = newKey();
    proxy.inject({ fault: 'server-error' });
    await expect(insert(key)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    proxy.heal();
    expect(await isThere(key)).toBe(false);
  });
});
