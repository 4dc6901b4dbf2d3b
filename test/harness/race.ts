/** Starts differ by up to so much, on top of what the sides learnt. */
const jitterMilliseconds = 6;

/** Milliseconds by which the sides approach each other at most from one round to the next. */
const stepMax = 8;

const pause = async (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

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
