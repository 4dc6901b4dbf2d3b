import type { Violation } from '../../shared/errors.ts';

/** Whether a document cannot be read at all, or can be read but breaks rules. */
export type FormatProblemCode = 'malformed' | 'invalid';

/** What is wrong with a document or a tarball of npm. A publisher sees it as a refusal; of an upstream it is a failure. */
export class FormatProblem extends Error {
  override readonly name = 'FormatProblem';
  readonly code: FormatProblemCode;
  readonly violations: readonly Violation[];

  constructor(code: FormatProblemCode, message: string, violations: readonly Violation[] = [], options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.violations = violations;
  }
}

/** The problem of a document that cannot be read. */
export const malformed = (message: string, cause?: unknown): FormatProblem =>
  new FormatProblem('malformed', message, [], { cause });

/** The problem of a document that breaks rules. */
export const invalid = (violations: readonly Violation[]): FormatProblem =>
  new FormatProblem('invalid', violations.map(({ message }) => message).join(' '), violations);

/** A broken rule; the keys lead to the place that breaks it. */
export const broken = (keys: readonly string[], rule: string, message: string): Violation => ({
  pointer: keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
  rule,
  message,
});
