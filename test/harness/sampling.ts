/** Whether a matrix tries everything with everything, as `npm run test:matrix` does; `npm test` takes some in turn. */
export const allForms = process.env.MATRIX_FORMS === 'all';

/** So many of the kinds, the next ones at the next turn; all of them where a matrix tries everything. */
export const sampleOf = <T>(kinds: readonly T[], turn: number, count = 1): readonly T[] => {
  const at = (turn * count) % kinds.length;
  return allForms ? kinds : [...kinds, ...kinds].slice(at, at + count);
};

/** The number of the day: what a run takes in turn is another one the next day. `TURN=20000 npm test` runs what another day did. */
export const today = Number(process.env.TURN ?? Math.floor(Date.now() / 86_400_000));

/** Whether suites try each of their cases, as `npm run test:cases` does, and as planted bugs meet them; `npm test` takes a share of them each day. */
export const allCases = process.env.ALL_CASES !== undefined || allForms;

/** One of so many of the cases, at least one, others each day and in each turn; with ALL_CASES, all of them. */
export const shareOf = <T>(cases: readonly T[], of: number, turn = 0): readonly T[] => {
  const each = Math.min(of, cases.length);
  return allCases ? cases : cases.filter((_, index) => (index + turn + today) % each === 0);
};

/** So many rounds of a race, or of what is made at random: a third of them, with ALL_CASES all. */
export const roundsOf = (count: number): number => (allCases ? count : Math.ceil(count / 3));

/** So many of the faults, others each day; all of them in `npm run test:faults`. */
export const sampledFaults = <T>(faults: readonly T[], count: number): readonly T[] =>
  process.env.FAULTS === 'all' ? faults : sampleOf(faults, today, count);

/** One kind of each group, another one each day; or all of them. */
export const oneOfEach = <T>(groups: readonly (readonly T[])[], isAll: boolean): readonly T[] =>
  isAll ? groups.flat() : groups.flatMap((group) => sampleOf(group, today));

/** Numbers from a seed (mulberry32), so that a failure can be repeated. */
export const numbersFrom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
};
