/**
 * A version in any of the spellings of PEP 440, appendix B. Unlike there, white space around it is no part of it.
 * `@renovatebot/pep440` writes local versions with commas and large numbers inexactly, so this is our own.
 */
const pattern = new RegExp(
  [
    '^v?',
    '(?:(?<epoch>\\d+)!)?',
    '(?<release>\\d+(?:\\.\\d+)*)',
    '(?:[-_.]?(?<preLetter>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?<preNumber>\\d+)?)?',
    '(?<post>-(?<postOnly>\\d+)|[-_.]?(?:post|rev|r)[-_.]?(?<postNumber>\\d+)?)?',
    '(?<dev>[-_.]?dev[-_.]?(?<devNumber>\\d+)?)?',
    '(?:\\+(?<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?$',
  ].join(''),
);

const versionLengthMax = 128;

const letters: Readonly<Record<string, string>> = { alpha: 'a', beta: 'b', c: 'rc', pre: 'rc', preview: 'rc' };

/** A number without leading zeros. It stays a text, because it may have any number of digits. */
const plain = (digits = '0'): string => digits.replace(/^0+(?=\d)/, '');

/** The normalised spelling of a version (PEP 440), as `str(packaging.version.Version(text))`; undefined if it is no version. */
export const normalVersion = (text: string): string | undefined => {
  // Before lower case: it maps some letters beyond ASCII to letters of ASCII.
  if (text.length > versionLengthMax || /[^\x20-\x7e]/.test(text)) return undefined;
  const groups = pattern.exec(text.toLowerCase())?.groups;
  if (!groups) return undefined;
  const { epoch = '0', release = '', preLetter, post, postOnly, postNumber, dev, local } = groups;
  const numbers = (list: string): string => list.split('.').map(plain).join('.');
  return [
    plain(epoch) === '0' ? '' : `${plain(epoch)}!`,
    numbers(release),
    preLetter === undefined ? '' : `${letters[preLetter] ?? preLetter}${plain(groups.preNumber)}`,
    post === undefined ? '' : `.post${plain(postOnly ?? postNumber)}`,
    dev === undefined ? '' : `.dev${plain(groups.devNumber)}`,
    local === undefined ? '' : `+${local.split(/[-_.]/).map(localPart).join('.')}`,
  ].join('');
};

/** The epoch and the numbers of a version in its normal spelling without zeros at their end, and the rest of it. */
export const trimmedParts = (version: string): readonly [numbers: string, rest: string] => {
  const [all = ''] = /^(?:\d+!)?\d+(?:\.\d+)*/.exec(version) ?? [];
  let numbers = all;
  while (numbers.endsWith('.0')) numbers = numbers.slice(0, -2);
  return [numbers, version.slice(all.length)];
};

/** One text for all versions in their normal spelling that are equal, such as `1.0` and `1.0.0` (PEP 440, "Version specifiers"). */
export const versionKeyOf = (version: string): string => trimmedParts(version).join('');

const localPart = (part: string): string => (/^\d+$/.test(part) ? plain(part) : part);
