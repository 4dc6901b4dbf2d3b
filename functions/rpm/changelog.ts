import { rowsOf } from './dependencies.ts';
import type { Header } from './header.ts';
import { tags } from './tags.ts';

/** An entry of the changelog. The date is in seconds since 1970. */
export interface ChangelogEntry {
  readonly author: string;
  readonly date: number;
  readonly text: string;
}

/** Clients show the newest entries alone. */
const entriesMax = 10;

const withoutSpacesBehind = (author: string): string => {
  let end = author.length;
  while (end > 1 && author[end - 1] === ' ') end -= 1;
  return author.slice(0, end);
};

/** The newest entries, the oldest of them first: each has a date of its own, because clients sort by it. */
export const changelogOf = (header: Header): readonly ChangelogEntry[] => {
  const rows = rowsOf('changes', [
    header.texts(tags.changelogAuthors),
    header.numbers(tags.changelogTimes),
    header.texts(tags.changelogTexts),
  ] as const);
  const oldestFirst = rows.slice(0, entriesMax).toReversed();
  return oldestFirst.map(([author, time, text], at) => {
    const sameDay = oldestFirst.slice(0, at).filter(([, other]) => other === time);
    return { author: withoutSpacesBehind(author), date: time + sameDay.length, text };
  });
};
