import type { Problem } from '../../shared/http/problem.ts';

/** go prints the reason of a refusal only if it is plain text. Its library for HTTP sends no Accept header, but names itself. */
export const shapeProblem = (problem: Problem, userAgent = ''): object | string =>
  userAgent.startsWith('Go-http-client/') ? `${problem.detail}\n` : problem;
