import { setTimeout as pause } from 'node:timers/promises';
import { chunksOf } from '../../shared/chunks.ts';
import type { Answer } from './client.ts';

/** Runs `size` at once and then the next ones, because a busy machine answers a flood late. Results are in order. */
export const inBatches = async <T, R>(
  items: readonly T[],
  size: number,
  run: (item: T) => Promise<R>,
): Promise<R[]> => {
  const results: R[] = [];
  for (const batch of chunksOf(items, size)) results.push(...(await Promise.all(batch.map(run))));
  return results;
};

/** Starts differ by up to so much, on top of what the sides learnt. */
const jitterMilliseconds = 6;

/** Milliseconds by which the sides approach each other at most from one round to the next. */
const stepMax = 64;

/**
 * Two sides of a race. Who won gets a later start next time, the later the more often in a row, so that the sides meet ever more closely and both outcomes come
 * up: races in which one side always wins prove nothing.
 */
export class Race {
  private readonly title: string;
  private readonly sides: readonly [string, string];
  private readonly wins: [number, number] = [0, 0];
  private lead = 0;
  private lastWinner: 0 | 1 | undefined;
  private step = 1;

  constructor(title: string, ...sides: readonly [string, string]) {
    this.title = title;
    this.sides = sides;
  }

  async start<T>(side: 0 | 1, call: () => Promise<T>): Promise<T> {
    await pause(Math.max(0, side === 0 ? this.lead : -this.lead) + Math.random() * jitterMilliseconds);
    return call();
  }

  won(side: 0 | 1): void {
    this.wins[side] += 1;
    this.step = side === this.lastWinner ? Math.min(stepMax, this.step * 2) : 1;
    this.lastWinner = side;
    this.lead += side === 0 ? this.step : -this.step;
  }

  report(): void {
    const [one, other] = this.wins;
    process.stdout.write(`${this.title}: ${this.sides[0]} ${one}, ${this.sides[1]} ${other}\n`);
  }

  expectBothToHaveWon(): void {
    this.report();
    const [one, other] = this.wins;
    expect(Math.min(one, other)).toBeGreaterThan(0);
  }
}

const firstMilliseconds = 20;
const mostMilliseconds = 200;

/**
 * Looks again and again until the work is done; answers with what the work did. Often at first, and then often enough: the more of
 * the machine those who look take, the less there is to see.
 */
export const pollDuring = async <T>(look: () => Promise<void>, work: Promise<T>): Promise<T> => {
  const over = new AbortController();
  const looking = (async () => {
    for (let wait = firstMilliseconds; !over.signal.aborted; wait = Math.min(2 * wait, mostMilliseconds)) {
      await look();
      await pause(wait);
    }
  })();
  try {
    return await work;
  } finally {
    over.abort();
    await looking;
  }
};

/** How many answers there are of each status and code. */
export const statusCounts = (answers: readonly Answer[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status, code } of answers) {
    const outcome = code ? `${status} ${code}` : `${status}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
};

/** So many requests run at once. */
export const streams = 3;

/** Requests that run one after another, on several streams at once, each with the moments of its start and its end. */
class RunningRequests {
  readonly done: { readonly startedAt: number; readonly status: number }[] = [];
  private isStopped = false;
  private readonly running: Promise<void>[];

  constructor(ask: () => Promise<Answer>) {
    this.running = Array.from({ length: streams }, async () => {
      while (!this.isStopped) {
        const startedAt = performance.now();
        const { status } = await ask();
        this.done.push({ startedAt, status });
      }
    });
  }

  async until(isReached: (done: RunningRequests['done']) => boolean): Promise<void> {
    while (!isReached(this.done)) await pause(1);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.running);
  }
}

/**
 * Makes a change under a running stream of requests, all of whose answers must be as `isBefore` says until it begins; returns the status
 * of each request that began after it was acknowledged.
 */
export const answersAfter = async (
  ask: () => Promise<Answer>,
  isBefore: (answer: Pick<Answer, 'status'>) => boolean,
  change: () => Promise<unknown>,
): Promise<readonly number[]> => {
  const requests = new RunningRequests(ask);
  try {
    await requests.until((done) => done.length >= streams);
    expect(requests.done.filter((answer) => !isBefore(answer))).toEqual([]);
    await change();
    const acknowledgedAt = performance.now();
    const later = (done: RunningRequests['done']) => done.filter(({ startedAt }) => startedAt > acknowledgedAt);
    await requests.until((done) => later(done).length >= 2 * streams);
    await requests.stop();
    return later(requests.done).map(({ status }) => status);
  } finally {
    await requests.stop();
  }
};
