/** What of a record the course needs. */
interface Change {
  readonly recordedAt: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** How many days a course has. */
export const days = 30;
export const dayMilliseconds = 86_400_000;

/** The bytes of all files that a part of a record names, however deep. */
const bytesIn = (held: unknown): number => {
  if (Array.isArray(held)) return held.reduce((sum: number, each) => sum + bytesIn(each), 0);
  if (typeof held !== 'object' || held === null) return 0;
  const { size, files, versions } = held as Readonly<Record<string, unknown>>;
  return (typeof size === 'number' ? size : 0) + bytesIn(files) + bytesIn(versions);
};

/** What came and what went on a day, in bytes. */
export interface Day {
  readonly date: string;
  readonly came: number;
  readonly went: number;
}

/** The days until one, the oldest first, with what records say of them. Times are UTC, as in the records. */
export const daysOf = (changes: readonly Change[], last: number): readonly Day[] => {
  const byDate = Map.groupBy(changes, ({ recordedAt }) => recordedAt.slice(0, 10));
  return Array.from({ length: days }, (_, index) => {
    const date = new Date(last - (days - 1 - index) * dayMilliseconds).toISOString().slice(0, 10);
    const found = byDate.get(date) ?? [];
    return {
      date,
      came: found.reduce((sum, { after }) => sum + bytesIn(after), 0),
      went: found.reduce((sum, { before }) => sum + bytesIn(before), 0),
    };
  });
};
