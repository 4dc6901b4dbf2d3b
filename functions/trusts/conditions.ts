import type { ClaimCondition } from '../../shared/table/identity/trusts.ts';

/** The claims of an identity token. */
export type Claims = Readonly<Record<string, unknown>>;

/** A condition that a provider brings: the claim must be there, and match none of these globs, each `*` of which stands for any text. */
export interface ExclusionCondition {
  readonly claim: string;
  readonly excludes: readonly string[];
}

export type AnyCondition = ClaimCondition | ExclusionCondition;

/** The text of a claim, for a comparison; undefined if it is missing, or has parts that no text can stand for. */
export const textOfClaim = (claims: Claims, claim: string): string | undefined => {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : undefined;
};

/** Whether a condition holds. A claim that is missing meets none. */
export const holds = (condition: AnyCondition, claims: Claims): boolean => {
  const text = textOfClaim(claims, condition.claim);
  if (text === undefined) return false;
  if ('equals' in condition) return text === condition.equals;
  if ('matches' in condition) return matchesGlob(condition.matches, text);
  return !condition.excludes.some((glob) => matchesGlob(glob, text, nothing));
};

/** What separates the parts of a subject. */
const separator = /[:/]/;

/** What excludes is wide: nothing separates parts then. */
const nothing = /(?!)/;

/**
 * Whether a text matches a glob. A `*` at the end stands for any text, and any other `*` for a text without a separator:
 * otherwise who chooses the name of a branch could write into it what the glob expects behind the `*`. The time is linear.
 */
export const matchesGlob = (glob: string, text: string, separates = separator): boolean => {
  const [first = '', ...rest] = glob.split('*');
  if (!text.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return text === glob;
  let at = first.length;
  // The first place of each part will do: any later one makes the text for the star before it longer.
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || separates.test(text.slice(at, found))) return false;
    at = found + part.length;
  }
  if (last === '') return true;
  const end = text.length - last.length;
  return end >= at && text.endsWith(last) && !separates.test(text.slice(at, end));
};
