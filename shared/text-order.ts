/** The order of texts by their code units, for `toSorted`: negative if the first one is lower. */
export const compareTexts = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
