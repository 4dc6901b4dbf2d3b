import { today } from './sampling.ts';

/** The milliseconds that this thread has worked so far: what else the machine does counts for nothing. */
export const cpuMilliseconds = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** What reads bytes of others, once. Refusing them is reading them, too. */
export type Reading = () => unknown;

/** The clock of a thread goes in steps of some milliseconds: a measurement has six of them, and a length at least two. */
const measuredMilliseconds = 24;
const lengthMilliseconds = 8;
const lengthMax = 400_000;

const timeOf = async (read: Reading, times = 1): Promise<number> => {
  const before = cpuMilliseconds();
  for (let time = 0; time < times; time += 1)
    try {
      await read();
    } catch {
      // A refusal.
    }
  return cpuMilliseconds() - before;
};

/** How many times as long a reading takes of twice the length. The shortest of several times counts: a busy machine only adds to it. */
const growthAt = async (readingOf: (length: number) => Reading, length: number): Promise<number> => {
  const [one, two] = [readingOf(length), readingOf(2 * length)];
  const times = Math.ceil(measuredMilliseconds / Math.max(await timeOf(one), 1));
  const shortest = { one: Number.POSITIVE_INFINITY, two: Number.POSITIVE_INFINITY };
  for (let round = 1; ; round += 1) {
    shortest.one = Math.min(shortest.one, await timeOf(one, times));
    shortest.two = Math.min(shortest.two, await timeOf(two, times));
    const growth = shortest.two === 0 ? 1 : shortest.two / shortest.one;
    if (growth < 2.6 || round === 5) return growth;
  }
};

/** Whether a reading takes the time that can be measured. Once may be the collection of garbage or the compiler: it must take it twice. */
const isLong = async (read: Reading): Promise<boolean> =>
  (await timeOf(read)) >= lengthMilliseconds && (await timeOf(read)) >= lengthMilliseconds;

/** A machine that is busy for a while spoils some measurements. The square of a length is four times as much in each of them. */
const attemptsMax = 6;

/**
 * How many times as long a reading takes of twice the length: about two where the time is linear, four where it is its square. At one
 * length more memory may cost more, and not at two. A reading that takes no time of any length has grown by 1.
 */
const growthOf = async (readingOf: (length: number) => Reading): Promise<number> => {
  let length = 500;
  while (length < lengthMax && !(await isLong(readingOf(length)))) length *= 2;
  if (!(await isLong(readingOf(2 * length)))) return 1;
  let growth = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attemptsMax && growth >= 2.6; attempt += 1)
    growth = Math.min(growth, await growthAt(readingOf, length * (1 + (attempt % 2))));
  return growth;
};

/** Makes what is read, of a length. */
export type Make = (length: number) => string | Buffer;

type Readings = () => readonly ((length: number) => Reading)[];

/** Readings of a text of each of the makers. */
export const texts =
  (read: (text: string) => unknown, ...makers: readonly Make[]) =>
  (): ReturnType<Readings> =>
    makers.map((make) => (length) => {
      const text = make(length).toString();
      return () => read(text);
    });

/** Readings of the bytes of each of the makers. */
export const bytes =
  (read: (content: Buffer) => unknown, ...makers: readonly Make[]) =>
  (): ReturnType<Readings> =>
    makers.map((make) => (length) => {
      const content = Buffer.from(make(length));
      return () => read(content);
    });

/** A piece again and again, between a beginning and an end. */
export const many =
  (piece: string, begin = '', end = ''): Make =>
  (length) =>
    begin + piece.repeat(Math.ceil(length / piece.length)) + end;

/** Every sixth of the parsers, others each day; all of them with `ALL_PARSERS`. */
const inTurnOf = <T>(parsers: readonly T[]): readonly T[] =>
  parsers.filter((_, index) => process.env.ALL_PARSERS || parsers.length < 6 || index % 6 === today % 6);

/** A test for each parser: the time of its readings grows with their length, and no faster. */
export const itReadsInLinearTime = (parsers: Readonly<Record<string, Readings>>): void => {
  it.each(inTurnOf(Object.entries(parsers)))('%s', async (_, readings) => {
    for (const [index, readingOf] of readings().entries()) {
      const growth = await growthOf(readingOf);
      expect([index, growth < 3 || growth]).toEqual([index, true]);
    }
  });
};
