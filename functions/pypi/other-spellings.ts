import { trimmedParts } from './versions.ts';

/** So many numbers of a release are compared with versions that have fewer zeros at their end, or more. */
const comparedNumbersMax = 4;

/** The versions that are equal to one, in their normal spelling: `1.0` is also 1 and 1.0.0. */
export const otherSpellingsOf = (version: string): readonly string[] => {
  const [numbers, rest] = trimmedParts(version);
  const zeros = Math.max(0, comparedNumbersMax - numbers.split('.').length);
  const all = Array.from({ length: zeros + 1 }, (_, count) => numbers + '.0'.repeat(count) + rest);
  return all.filter((each) => each !== version);
};
