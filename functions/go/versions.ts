import { comparePrecedence, type OrderedVersion } from '../../shared/packages/formats/semver-order.ts';
import type { VersionOrder } from '../../shared/table/repositories/advisories.ts';
import { compareNumbers } from '../../shared/text-order.ts';

const number = String.raw`(?:0|[1-9]\d*)`;
const identifier = String.raw`(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)`;

const canonical = new RegExp(
  String.raw`^v(?<major>${number})\.(?<minor>${number})\.(?<patch>${number})(?:-(?<prerelease>${identifier}(?:\.${identifier})*))?(?:\+incompatible)?$`,
);

/** The forms of a pseudo-version (https://go.dev/ref/mod#pseudo-versions), with its time. */
const pseudo = /^v\d+\.(?:0\.0-|\d+\.\d+-(?:[^+]*\.)?0\.)(?<time>\d{14})-[A-Za-z0-9]+(?:\+incompatible)?$/;

/** Whether a text is a canonical version: complete, with `v`, and without build metadata other than `+incompatible`. */
export const isCanonical = (text: string): boolean => canonical.test(text);

/** Whether a canonical version is a pseudo-version, which stands for a commit. */
export const isPseudoVersion = (version: string): boolean => pseudo.test(version);

/** The major version, such as `v2`. */
export const majorOf = (version: string): string => version.slice(0, version.indexOf('.'));

/** Whether a version says that it does not follow the major version of its module path. */
export const isIncompatible = (version: string): boolean => version.endsWith('+incompatible');

const partsOf = (version: string): OrderedVersion => {
  const { major = '0', minor = '0', patch = '0', prerelease } = canonical.exec(version)?.groups ?? {};
  return { numbers: [major, minor, patch], prerelease: prerelease === undefined ? [] : prerelease.split('.') };
};

/** Compares canonical versions as golang.org/x/mod/semver does: below 0 if the first one is lower. */
export const compareVersions = (one: string, other: string): number => comparePrecedence(partsOf(one), partsOf(other));

const pseudoTime = (version: string): string => pseudo.exec(version)?.groups?.time ?? '';

const isRelease = (version: string): boolean => partsOf(version).prerelease.length === 0;

/** The highest release, or else the highest prerelease, or else the pseudo-version of the newest commit. */
export const latestOf = (versions: Iterable<string>): string | undefined => {
  const all = [...versions].toSorted(compareVersions);
  const named = all.filter((version) => !isPseudoVersion(version));
  const pseudos = all.toSorted((one, other) => compareNumbers(pseudoTime(one), pseudoTime(other)));
  return named.findLast(isRelease) ?? named.at(-1) ?? pseudos.at(-1);
};

/** Advisories leave the `v` out (osv.dev, ecosystem Go), and so do people. */
const withV = (version: string): string => (version.startsWith('v') ? version : `v${version}`);

/** The canonical version that a text stands for, with or without `v`; undefined if it is none. */
export const canonicalOf = (text: string): string | undefined => {
  const version = withV(text);
  return isCanonical(version) ? version : undefined;
};

/** The order of versions for advisories; undefined if a text is no version. */
export const order: VersionOrder = (one, other) => {
  const [first, second] = [canonicalOf(one), canonicalOf(other)];
  return first === undefined || second === undefined ? undefined : compareVersions(first, second);
};
