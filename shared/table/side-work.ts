import { setImmediate as turn } from 'node:timers/promises';

/** What a request writes while its answer is made, such as the copy of a document that it answers with. */
export class SideWork {
  private readonly running = new Set<Promise<void>>();
  private readonly failures: unknown[] = [];
  private isExpected = false;

  /** Begins it, and returns its end. A failure must not fail the request, too. */
  async begin(work: () => Promise<void>): Promise<void> {
    this.expect();
    const done: Promise<void> = work()
      .catch((error: unknown) => void this.failures.push(error))
      .finally(() => this.running.delete(done));
    this.running.add(done);
    return done;
  }

  /** Some may follow in a later turn of the event loop, as when the body of an upstream closes. */
  expect(): void {
    this.isExpected = true;
  }

  /** Waits until all of it is done, because Lambda freezes the process between two requests. Returns what failed. */
  async ended(): Promise<readonly unknown[]> {
    if (!this.isExpected) return [];
    // A body that was given up closes in the next turn of the event loop.
    await turn();
    await Promise.all(this.running);
    return this.failures.splice(0);
  }
}
