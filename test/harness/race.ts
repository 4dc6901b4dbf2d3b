/** Starts differ by up to so much, on top of what the sides learnt. */
const jitterMilliseconds = 6;

const pause = async (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Two sides of a race. Who won gets a later start next time, so that the sides meet ever more closely and both outcomes come
 * up: races in which one side always wins prove nothing.
 */
export class Race {
  private readonly title: string;
  private readonly sides: readonly [string, string];
  private readonly wins: [number, number] = [0, 0];
  private lead = 0;

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
    this.lead += side === 0 ? 1 : -1;
  }

  expectBothToHaveWon(): void {
    const [one, other] = this.wins;
    process.stdout.write(`${this.title}: ${this.sides[0]} ${one}, ${this.sides[1]} ${other}\n`);
    expect(Math.min(one, other)).toBeGreaterThan(0);
  }
}
