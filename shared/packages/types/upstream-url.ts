import type { Violation } from '../../errors.ts';

/**
 * Splits an absolute http or https URL as it is written: URL parsers forgive missing slashes, backslashes and white space,
 * and what they read then differs from what the proxy would send.
 */
const parts = /^https?:\/\/(?<authority>[^/?#]+)(?<path>[^?#]*)(?<query>\?[^#]*)?(?<fragment>#.*)?$/isu;

/** The parts of a URL as they are written, each undefined if it is absent. */
export const urlParts = (
  url: string,
): Partial<Readonly<Record<'authority' | 'path' | 'query' | 'fragment', string | undefined>>> =>
  parts.exec(url)?.groups ?? {};

/** A violation of the rules for the URL of an upstream. */
export const urlViolation = (rule: string, message: string): Violation => ({
  pointer: '/remoteRepositoryUrl',
  rule,
  message,
});
