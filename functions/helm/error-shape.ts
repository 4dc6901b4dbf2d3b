import type { Problem } from '../../shared/http/problem.ts';

/** The clients of ChartMuseum print the member `error` of a refusal. */
export const shapeProblem = (problem: Problem): object => ({ ...problem, error: problem.detail });
