import { modifiers, normalForm } from './versions.ts';

/**
 * Constraints, as `parseConstraints` of Composer\Semver reads them: `^1.0 || >=2.1,<3`, `1.0 - 2.0`, `dev-main`. Composer fails at a
 * constraint that it cannot read. `npm run test:orders` compares this with Composer\Semver itself.
 */

/** The numbers of a version in a range, with what may follow them. */
const numbers = String.raw`v?\d+(?:\.\d+){0,3}(?:${modifiers}|(\.[xX*][.-]?dev))(?:\+\S+)?`;
const bounded = new RegExp(`^[~^](${numbers})$`, 'i');
const hyphenated = new RegExp(`^(?<from>${numbers}) +- +(?<to>${numbers})$`, 'i');
const anything = /^v?[xX*](?:\.[xX*])*$/i;
const wildcard = /^v?\d+(?:\.\d+){0,2}(?:\.[xX*])+$/;

/** What parts the constraints that must all hold. A blank after an operator, or on either side of a hyphen or of `as`, parts nothing. */
const separator = /(?<!^|as|[=>< ,]) {0,3}(?<!-)[, ](?!-) {0,3}(?!,|as|$)/;

/** Without the alias of a root package, a stability and the reference of a commit. */
const withoutFlags = (constraint: string): string => {
  const [, plain = constraint] = /^([^,\s]+) +as +[^,\s]+$/.exec(constraint) ?? [];
  const [, unflagged = plain] = /^([^,\s]*)@(?:stable|RC|beta|alpha|dev)$/i.exec(plain) ?? [];
  return unflagged === '' && plain !== '' ? '*' : unflagged.replace(/^([^,\s@#]+\.x-dev)#.+$/i, '$1');
};

const isVersion = (text: string): boolean => normalForm(text) !== undefined;

/** Whether Composer knows a version that is compared. It takes `feature-dev` for `dev-feature`. */
const isCompared = (version: string): boolean => isVersion(version) || /^[0-9a-zA-Z-./]+-dev$/.test(version);

const isSimple = (text: string): boolean => {
  const constraint = withoutFlags(text);
  if (anything.test(constraint) || wildcard.test(constraint)) return true;
  const [, bound, stability, , dev, branch] = bounded.exec(constraint) ?? [];
  // Without a stability, the range begins at the first version of development.
  if (bound !== undefined) return isVersion(bound + (stability || dev || branch ? '' : '-dev'));
  const { from, to } = hyphenated.exec(constraint)?.groups ?? {};
  if (from !== undefined && to !== undefined) return isVersion(from) && isVersion(to);
  const [, version = ''] = /^(?:<>|!=|>=?|<=?|==?)?\s*(.*)/.exec(constraint) ?? [];
  return isCompared(version);
};

/** Whether Composer can read a constraint. To PHP, a blank that is not of ASCII is none. */
export const isConstraint = (text: string): boolean =>
  text
    .replaceAll(/[^\S\t-\r ]/g, '?')
    .replaceAll(/ {3,}/g, '   ')
    .split(/\|\|?/)
    .every((group) => group.trim().split(separator).every(isSimple));
