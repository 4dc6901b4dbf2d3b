import { setTimeout as pause } from 'node:timers/promises';
import { mappedInOrder, upstreamsAtOnceMax } from '../../../../shared/packages/serve/ordered-map.ts';

const items = Array.from({ length: 30 }, (_, item) => item);

describe('Many upstreams', () => {
  it('are asked in their order, eight at the same time, and answer in their order', async () => {
    const begun: number[] = [];
    let [running, most] = [0, 0];
    const results = await mappedInOrder(items, async (item) => {
      begun.push(item);
      running += 1;
      most = Math.max(most, running);
      // The first of them are the slowest.
      await pause(40 - item);
      running -= 1;
      return item * 2;
    });
    expect(results).toEqual(items.map((item) => item * 2));
    expect(begun).toEqual(items);
    expect([most, upstreamsAtOnceMax]).toEqual([8, 8]);
  });

  it('that are none give nothing', async () => {
    expect(await mappedInOrder([], async () => 1)).toEqual([]);
  });

  it('fail as one of them fails', async () => {
    const failure = new Error('broken');
    await expect(mappedInOrder(items, async () => Promise.reject(failure))).rejects.toBe(failure);
  });
});
