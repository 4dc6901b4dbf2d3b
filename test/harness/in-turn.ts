/** Whether a matrix tries everything with everything, as `npm run test:matrix` does; `npm test` takes some in turn. */
export const allForms = process.env.MATRIX_FORMS === 'all';

/** So many of the kinds, the next ones at the next turn; all of them where a matrix tries everything. */
export const inTurn = <T>(kinds: readonly T[], turn: number, count = 1): readonly T[] => {
  const at = (turn * count) % kinds.length;
  return allForms ? kinds : [...kinds, ...kinds].slice(at, at + count);
};
