/** The order of texts by their code units, for `toSorted`: negative if the first one is lower. */
export const compareTexts = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** The order of numbers of any size that are written without zeros in front. */
export const compareNumbers = (one: string, other: string): number =>
  one.length - other.length || compareTexts(one, other);
