import { compareNumbers } from '../../shared/text-order.ts';

/** A version in its parts. A version without an epoch or a revision has `0` there. */
interface VersionParts {
  readonly epoch: string;
  readonly upstream: string;
  readonly revision: string;
}

/** Reads `epoch:upstream-revision`. */
const partsOf = (version: string): VersionParts => {
  const colon = version.indexOf(':');
  const rest = version.slice(colon + 1);
  const dash = rest.lastIndexOf('-');
  return {
    epoch: colon < 0 ? '0' : version.slice(0, colon),
    upstream: dash < 0 ? rest : rest.slice(0, dash),
    revision: dash < 0 ? '0' : rest.slice(dash + 1),
  };
};

/** Where a character sorts: a tilde before the end, the end before letters, letters before all others. */
const placeOf = (character: string | undefined): number => {
  if (character === undefined) return 0;
  if (character === '~') return -1;
  const code = character.charCodeAt(0);
  return /[A-Za-z]/.test(character) ? code : code + 256;
};

const compareWords = (one: string, other: string): number => {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const order = placeOf(one[at]) - placeOf(other[at]);
    if (order !== 0) return order;
  }
  return 0;
};

const withoutZeros = (digits: string): string => digits.replace(/^0+/, '');

const compareDigits = (one: string, other: string): number => compareNumbers(withoutZeros(one), withoutZeros(other));

/** The words and the numbers of a text, by turns: the first is a word, which may be empty. */
const segmentsOf = (text: string): readonly string[] => text.split(/(\d+)/);

/** The order of two upstream versions, or of two revisions. */
const compareTexts = (one: string, other: string): number => {
  const [ones, others] = [segmentsOf(one), segmentsOf(other)];
  for (let at = 0; at < Math.max(ones.length, others.length); at += 1) {
    const compare = at % 2 === 0 ? compareWords : compareDigits;
    const order = compare(ones[at] ?? '', others[at] ?? '');
    if (order !== 0) return order;
  }
  return 0;
};

/**
 * The order of versions, negative if the first is the older one.
 * www.debian.org/doc/debian-policy/ch-controlfields.html#version
 */
export const compareVersions = (one: string, other: string): number => {
  const [first, second] = [partsOf(one), partsOf(other)];
  return (
    compareDigits(first.epoch, second.epoch) ||
    compareTexts(first.upstream, second.upstream) ||
    compareTexts(first.revision, second.revision)
  );
};
