/** The memory of one body. */
export interface MemoryShare {
  /** Takes memory when there is some. */
  take(bytes: number): Promise<void>;
  giveBack(bytes: number): void;
}

/**
 * Memory that bodies share. Each takes what it brings, and gives it back when that is stored: a slow client holds what it has sent,
 * and no more. One of those that want more than there is may have it: bodies would wait for one another for ever.
 */
export class SharedMemory {
  private free: number;
  private ahead: MemoryShare | undefined;
  private waiting: (() => void)[] = [];

  constructor(bytesMax: number) {
    this.free = bytesMax;
  }

  /** Gives a body its share, until its work is done. */
  async use<T>(work: (share: MemoryShare) => Promise<T>): Promise<T> {
    let held = 0;
    const share: MemoryShare = {
      take: async (bytes) => {
        while (!this.mayTake(share, bytes)) await new Promise<void>((resolve) => this.waiting.push(resolve));
        this.free -= bytes;
        held += bytes;
      },
      giveBack: (bytes) => {
        this.free += bytes;
        held -= bytes;
        if (this.ahead === share) this.ahead = undefined;
        for (const goOn of this.waiting.splice(0)) goOn();
      },
    };
    try {
      return await work(share);
    } finally {
      share.giveBack(held);
    }
  }

  private mayTake(share: MemoryShare, bytes: number): boolean {
    if (this.free >= bytes) return true;
    this.ahead ??= share;
    return this.ahead === share;
  }
}
