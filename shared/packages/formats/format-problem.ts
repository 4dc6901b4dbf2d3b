import type { Violation } from '../../errors.ts';

/** The kinds of problems: a document that cannot be parsed, or one that breaks rules. */
export type FormatProblemCode = 'malformed' | 'invalid';

/**
 * A problem of a document or of a file of a package. It refuses a publisher's request, and makes an upstream's answer a
 * failure.
 */
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

/** The problem of a document that cannot be parsed. */
export const malformed = (message: string, cause?: unknown): FormatProblem =>
  new FormatProblem('malformed', message, [], { cause });

/** The problem of a document that breaks rules. */
export const invalid = (violations: readonly Violation[]): FormatProblem =>
  new FormatProblem('invalid', violations.map(({ message }) => message).join(' '), violations);

/** Throws it where a document breaks rules. */
export const requireValidFormat = (violations: readonly Violation[]): void => {
  if (violations.length > 0) throw invalid(violations);
};

/** A broken rule. The keys lead to the value that breaks it. */
export const broken = (keys: readonly string[], rule: string, message: string): Violation => ({
  pointer: keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
  rule,
  message,
});
