/**
 * Module paths, file paths and versions, read from https://go.dev/ref/mod and the documentation of golang.org/x/mod character by
 * character, with none of the expressions of the service.
 */
const charactersOf = (text: string): string[] => Array.from(text);
const isDigit = (text: string): boolean => text >= '0' && text <= '9' && text.length === 1;
const isLower = (text: string): boolean => text >= 'a' && text <= 'z' && text.length === 1;
const isUpper = (text: string): boolean => text >= 'A' && text <= 'Z' && text.length === 1;
const isAlphanumeric = (text: string): boolean => isDigit(text) || isLower(text) || isUpper(text);
const areDigits = (text: string): boolean => text !== '' && charactersOf(text).every(isDigit);

const devices = new Set([
  'con',
  'prn',
  'aux',
  'nul',
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((n) => [`com${n}`, `lpt${n}`]),
]);

const isElement = (element: string, isAllowed: (character: string) => boolean): boolean =>
  element !== '' &&
  charactersOf(element).some((character) => character !== '.') &&
  !element.endsWith('.') &&
  charactersOf(element).every(isAllowed) &&
  !devices.has((element.split('.')[0] ?? '').toLowerCase());

const looksShort = (element: string): boolean => {
  const [short = ''] = element.split('.');
  const tilde = short.lastIndexOf('~');
  return tilde >= 0 && areDigits(short.slice(tilde + 1));
};

const isModuleElement = (element: string): boolean =>
  isElement(element, (each) => isAlphanumeric(each) || '-._~'.includes(each)) &&
  !element.startsWith('.') &&
  !looksShort(element);

/** The digits at the end of a text. */
const digitsAtEnd = (text: string): string => {
  let start = text.length;
  while (start > 0 && isDigit(text[start - 1] ?? '')) start -= 1;
  return text.slice(start);
};

/** The major version that a path ends with, '' without one, and undefined for a wrong one. */
export const pathMajor = (path: string): string | undefined => {
  const last = path.split('/').at(-1) ?? '';
  if (path.startsWith('gopkg.in/')) {
    const isUnstable = path.endsWith('-unstable');
    const stable = isUnstable ? path.slice(0, -'-unstable'.length) : path;
    const digits = digitsAtEnd(stable);
    if (digits === '' || !stable.endsWith(`.v${digits}`)) return undefined;
    return digits.startsWith('0') && (digits !== '0' || isUnstable) ? undefined : `v${digits}`;
  }
  const rest = last.slice(1);
  const isVersionLike =
    last.startsWith('v') && rest !== '' && charactersOf(rest).every((each) => isDigit(each) || each === '.');
  if (!isVersionLike || !path.includes('/')) return '';
  return areDigits(rest) && !rest.startsWith('0') && rest !== '1' ? `v${rest}` : undefined;
};

export const isModulePath = (path: string): boolean => {
  const parts = path.split('/');
  const [first = ''] = parts;
  return (
    parts.every(isModuleElement) &&
    first.includes('.') &&
    !first.startsWith('-') &&
    charactersOf(first).every((each) => isDigit(each) || isLower(each) || each === '-' || each === '.') &&
    pathMajor(path) !== undefined
  );
};

export const isFilePath = (path: string): boolean =>
  path
    .split('/')
    .every((part) =>
      isElement(
        part,
        (each) =>
          isAlphanumeric(each) || '!#$%&()+,-.=@[]^_{}~ '.includes(each) || (each > '\u007f' && /^\p{L}$/u.test(each)),
      ),
    );

interface Version {
  readonly core: readonly bigint[];
  readonly prerelease: readonly string[];
  readonly build: string;
}

const isNumber = (text: string): boolean => areDigits(text) && (text === '0' || !text.startsWith('0'));

const isIdentifier = (text: string): boolean =>
  text !== '' &&
  charactersOf(text).every((each) => isAlphanumeric(each) || each === '-') &&
  (!areDigits(text) || isNumber(text));

const parse = (text: string): Version | undefined => {
  if (!text.startsWith('v')) return undefined;
  const [beforeBuild = '', ...builds] = text.slice(1).split('+');
  const dash = beforeBuild.indexOf('-');
  const core = (dash === -1 ? beforeBuild : beforeBuild.slice(0, dash)).split('.');
  const prerelease = dash === -1 ? [] : beforeBuild.slice(dash + 1).split('.');
  if (core.length !== 3 || !core.every(isNumber) || !prerelease.every(isIdentifier)) return undefined;
  return { core: core.map(BigInt), prerelease, build: builds.join('+') };
};

export const isCanonical = (text: string): boolean => {
  const version = parse(text);
  return version !== undefined && (version.build === 'incompatible' || !text.includes('+'));
};

export const fitsPathMajor = (path: string, text: string): boolean => {
  const major = `v${parse(text)?.core[0]}`;
  const wanted = pathMajor(path);
  if (wanted === '') return ['v0', 'v1'].includes(major) || text.endsWith('+incompatible');
  return major === wanted || (path.startsWith('gopkg.in/') && wanted === 'v1' && text.startsWith('v0.0.0-'));
};

/** https://go.dev/ref/mod#pseudo-versions: a base, a time and a revision, in three forms. */
export const isPseudoVersion = (text: string): boolean => {
  const [plain = ''] = text.split('+');
  const parts = plain.split('-');
  const revision = parts.at(-1) ?? '';
  const before = parts.slice(0, -1).join('-');
  const base = before.slice(0, -14);
  if (parts.length < 3 || revision === '' || !charactersOf(revision).every(isAlphanumeric)) return false;
  if (before.length < 14 || !areDigits(before.slice(-14))) return false;
  if (/^v\d+\.0\.0-$/.test(base)) return true;
  const start = base.indexOf('-');
  const prerelease = start === -1 ? '' : base.slice(start + 1);
  return prerelease === '0.' || prerelease.endsWith('.0.');
};

/** -1, 0 or 1, as https://semver.org/#spec-item-11 orders. */
export const compare = (one: string, other: string): number => {
  const [first, second] = [parse(one), parse(other)];
  if (!first || !second) throw new Error('Only versions have an order.');
  for (const [index, number] of first.core.entries()) {
    const counterpart = second.core[index] ?? 0n;
    if (number !== counterpart) return number < counterpart ? -1 : 1;
  }
  if (first.prerelease.length === 0 || second.prerelease.length === 0)
    return Math.sign(second.prerelease.length - first.prerelease.length);
  for (let index = 0; ; index += 1) {
    const [part, counterpart] = [first.prerelease[index], second.prerelease[index]];
    if (part === undefined || counterpart === undefined)
      return Number(counterpart === undefined) - Number(part === undefined);
    if (part === counterpart) continue;
    if (areDigits(part) && areDigits(counterpart)) return BigInt(part) < BigInt(counterpart) ? -1 : 1;
    if (areDigits(part) || areDigits(counterpart)) return areDigits(part) ? -1 : 1;
    return part < counterpart ? -1 : 1;
  }
};
