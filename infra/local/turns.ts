/** A call that was not begun, because too many wait or because its caller has gone. */
export class CallNotBegun extends Error {
  override readonly name = 'CallNotBegun';
}

/** How many calls there may be. What waits is kept in memory, so its bytes have a limit of their own. */
export interface TurnLimits {
  readonly callsAtOnceMax: number;
  readonly waitingMax: number;
  readonly waitingBytesMax: number;
}

/** A call that wants its turn. */
export interface Turn {
  readonly bytes: number;
  /** Whether it waits however many do. */
  readonly isPatient?: boolean;
  /** Aborted when the caller has gone. */
  readonly signal?: AbortSignal | undefined;
}

/** Lets calls run, some at once, and the others in the order in which they came. */
export class Turns {
  private readonly limits: TurnLimits;
  private readonly waiting = new Map<() => void, number>();
  private waitingBytes = 0;
  private callsAtOnce = 0;

  constructor(limits: TurnLimits) {
    this.limits = limits;
  }

  /** Whether nobody has a turn. */
  get isIdle(): boolean {
    return this.callsAtOnce === 0;
  }

  async take<T>(turn: Turn, call: () => Promise<T>): Promise<T> {
    if (this.callsAtOnce < this.limits.callsAtOnceMax) this.callsAtOnce += 1;
    else await this.wait(turn);
    try {
      return await call();
    } finally {
      const [next] = this.waiting.keys();
      if (next) next();
      else this.callsAtOnce -= 1;
    }
  }

  private async wait({ bytes, isPatient = false, signal }: Turn): Promise<void> {
    const { waitingMax, waitingBytesMax } = this.limits;
    if (!isPatient && (this.waiting.size >= waitingMax || this.waitingBytes + bytes > waitingBytesMax))
      throw new CallNotBegun('Too many calls of this function wait.');
    if (signal?.aborted) throw new CallNotBegun('The caller has gone.');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      this.waiting.delete(begin);
      this.waitingBytes -= bytes;
      signal?.removeEventListener('abort', giveUp);
    };
    const begin = (): void => {
      leave();
      resolve();
    };
    const giveUp = (): void => {
      leave();
      reject(new CallNotBegun('The caller has gone.'));
    };
    this.waiting.set(begin, bytes);
    this.waitingBytes += bytes;
    signal?.addEventListener('abort', giveUp);
    await promise;
  }
}
