import { setImmediate as turn } from 'node:timers/promises';
import { type MemoryShare, SharedMemory } from '../../../shared/door/shared-memory.ts';

/** A body with its share, until `end`. */
const bodyOf = (memory: SharedMemory) => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const { promise, resolve } = Promise.withResolvers<MemoryShare>();
  const done = memory.use(async (share) => {
    resolve(share);
    await over;
  });
  return {
    share: promise,
    end: async (): Promise<void> => {
      end();
      await done;
    },
  };
};

const isWaiting = async (taken: Promise<void>): Promise<boolean> => {
  await turn();
  return (await Promise.race([taken.then(() => 'taken'), turn('waits')])) === 'waits';
};

describe('Memory that bodies share', () => {
  it('is there for each until it is taken, and one body may go beyond', async () => {
    const memory = new SharedMemory(10);
    const [one, two, three] = [bodyOf(memory), bodyOf(memory), bodyOf(memory)];
    const [first, second, third] = [await one.share, await two.share, await three.share];
    await first.take(6);
    await second.take(4);
    await second.take(3);
    const [waiting, more] = [first.take(1), third.take(3)];
    expect([await isWaiting(waiting), await isWaiting(more)]).toEqual([true, true]);
    // What the body in front has stored lets the others go on.
    second.giveBack(7);
    await waiting;
    await more;
    await Promise.all([one.end(), two.end(), three.end()]);
  });

  it('comes back at the end of a body, also of one that fails', async () => {
    const memory = new SharedMemory(10);
    await expect(
      memory.use(async (share) => {
        await share.take(50);
        throw new Error('cut');
      }),
    ).rejects.toThrow('cut');
    const one = bodyOf(memory);
    const two = bodyOf(memory);
    await (await one.share).take(10);
    await (await two.share).take(1);
    const waiting = (await one.share).take(1);
    expect(await isWaiting(waiting)).toBe(true);
    await two.end();
    await waiting;
    await one.end();
  });
});
