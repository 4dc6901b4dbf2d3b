/** The names by which browsers and systems say in their `User-Agent` what they are; of several, the first counts. */
const browsers = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const;
const systems = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'] as const;
const shownAs: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS': 'macOS' };

/** What a `User-Agent` says of itself, in short, such as `Firefox, Linux`; as it is if that is nothing known. */
export const browserText = (userAgent: string): string => {
  const found = [browsers, systems].flatMap((names) => names.find((name) => userAgent.includes(name)) ?? []);
  return found.map((name) => shownAs[name] ?? name).join(', ') || userAgent;
};

const sizes = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes for people, on one line with its unit. */
export const sizeText = (bytes: number): string => {
  const power = Math.min(sizes.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(bytes / 1000 ** power)}\u00a0${sizes[power]}`;
};

/** A number for people. */
export const countText = (count: number): string => new Intl.NumberFormat('en').format(count);

/** A day for people. */
export const dayText = (date: string): string =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date));

/** A time for people, in their own zone. */
export const timeText = (time: string): string =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time));
