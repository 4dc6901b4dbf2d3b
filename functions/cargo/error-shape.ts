import type { Problem } from '../../shared/http/problem.ts';

/** Cargo prints the member `detail` of each of the `errors`. */
export const shapeProblem = (problem: Problem): object => ({
  ...problem,
  errors: problem.errors.map((detail) => ({ detail })),
});
