import type { IndexGate } from '../../shared/packages/gate/gated-index.ts';
import { millisecondsOf, type Release } from '../../shared/packages/releases/gate-of.ts';
import { fieldsOf, type IndexLine, withYanked } from './index-lines.ts';

/** The only form in which Cargo reads a time (doc.rust-lang.org/cargo/reference/registry-index.html#json-schema, `pubtime`). */
const pubtime = /"pubtime": ?"(?<time>\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z)"/;

/** Reads the time of a line. Most lines need no parsing: the text could also be in a dependency. */
const publishedAt = (text: string): number | undefined => {
  if (!pubtime.test(text)) return undefined;
  const time = fieldsOf(text)?.pubtime;
  return pubtime.test(`"pubtime":${JSON.stringify(time)}`) ? millisecondsOf(time) : undefined;
};

/** The versions of a crate. */
export const releasesOf = (lines: readonly IndexLine[]): readonly Release[] =>
  lines.map(({ version, text }) => ({ id: version, version, publishedAt: publishedAt(text) }));

const yanked = (line: IndexLine): IndexLine => ({
  ...line,
  text: withYanked([line.text], true)?.[0] ?? line.text,
  isHeld: true,
});

/**
 * How the index of a crate loses what a gate holds back: its line stays, and is yanked. So Cargo resolves to an older version, and a
 * lock file gets the refusal of the file with its sentence, where a version that is not there says nothing. In a virtual repository, the
 * line of another child that lets it pass takes its place.
 */
export const crateGate: IndexGate<readonly IndexLine[]> = {
  releases: releasesOf,
  without: (lines, held) => lines.map((line) => (held.has(line.version) ? yanked(line) : line)),
};
