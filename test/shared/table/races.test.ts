import { Table } from '../../../shared/table/client.ts';
import { untilSettled } from '../../../shared/table/races.ts';

describe('A change that loses races', () => {
  it('is tried again as often as it takes', async () => {
    let attempts = 0;
    const outcome = await untilSettled(new Table(), async () => {
      attempts += 1;
      return Promise.resolve(attempts > 12 ? 'settled' : undefined);
    });
    expect([outcome, attempts]).toEqual(['settled', 13]);
  });

  it('is told that it is made again', async () => {
    const told: boolean[] = [];
    await untilSettled(new Table(), async (isAgain) => Promise.resolve(told.push(isAgain) > 2 || undefined));
    expect(told).toEqual([false, true, true]);
  });

  it('ends with the time of the request', async () => {
    const startedAt = performance.now();
    const losing = untilSettled(new Table(300), async () => Promise.resolve(undefined));
    await expect(losing).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(performance.now() - startedAt).toBeGreaterThan(250);
  });
});
