import type { Problem } from '../../shared/http/problem.ts';

/** npm prints the member `error` of a refusal. */
export const shapeProblem = (problem: Problem): object => ({ ...problem, error: problem.detail });
