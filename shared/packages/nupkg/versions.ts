import type { VersionOrder } from '../../table/repositories/advisories.ts';
import { compareTexts } from '../../text-order.ts';

/** A version as the library NuGet.Versioning reads it: one to four numbers, a prerelease and build metadata. */
export interface NupkgVersion {
  /** Major, minor, patch and revision. */
  readonly numbers: readonly number[];
  readonly prerelease: readonly string[];
  /** The build metadata; undefined if there are none. */
  readonly build?: string;
}

const labels = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const pattern = new RegExp(
  String.raw`^(?<numbers>\d+(?:\.\d+){0,3})(?:-(?<prerelease>${labels}))?(?:\+(?<build>${labels}))?$`,
);

/** A label of a prerelease that the library refuses: a number has no zero before it. */
const paddedNumber = /^0\d+$/;

/** Numbers of a version have 32 bits. */
const numberMax = 2_147_483_647;

/** An ID and a version are parts of a file name, which has at most 255 bytes. */
const lengthMax = 100;

/** Parses a version; undefined if the text is none. */
export const parseVersion = (text: string): NupkgVersion | undefined => {
  const groups = text.length <= lengthMax ? pattern.exec(text)?.groups : undefined;
  if (!groups) return undefined;
  const given = (groups.numbers ?? '').split('.').map(Number);
  if (given.some((number) => number > numberMax)) return undefined;
  const { build } = groups;
  const prerelease = groups.prerelease?.split('.') ?? [];
  if (prerelease.some((label) => paddedNumber.test(label))) return undefined;
  return {
    numbers: [0, 1, 2, 3].map((at) => given[at] ?? 0),
    prerelease,
    ...(build !== undefined && { build }),
  };
};

/** The normal form of a version, in the case of its publisher: three numbers, or four if the last is not 0. It has no build metadata. */
export const normalText = ({ numbers, prerelease }: NupkgVersion): string => {
  const shown = numbers[3] === 0 ? numbers.slice(0, 3) : numbers;
  return [shown.join('.'), ...(prerelease.length > 0 ? [prerelease.join('.')] : [])].join('-');
};

/** The same with build metadata, as documents show it. */
export const fullText = (version: NupkgVersion): string =>
  version.build === undefined ? normalText(version) : `${normalText(version)}+${version.build}`;

/** The version of the package that a text stands for: one for all spellings; undefined if the text is no version. */
export const normalVersion = (text: string): string | undefined => {
  const version = parseVersion(text);
  return version && normalText(version).toLowerCase();
};

export const isPrerelease = ({ prerelease }: NupkgVersion): boolean => prerelease.length > 0;

/** Whether clients from before NuGet 4.3 cannot read a version. */
export const isSemVer2 = ({ prerelease, build }: NupkgVersion): boolean => prerelease.length > 1 || build !== undefined;

const signedMin = -2_147_483_648;

/** The number that a label is: the library takes one with a sign for a number, too. */
const numberOf = (label: string): number | undefined => {
  if (!/^-?\d+$/.test(label)) return undefined;
  const number = Number(label);
  return number >= signedMin && number <= numberMax ? number : undefined;
};

const compareLabels = (one: string, other: string): number => {
  const [first, second] = [numberOf(one), numberOf(other)];
  if (first !== undefined && second !== undefined) return first - second;
  if (first !== undefined || second !== undefined) return first === undefined ? 1 : -1;
  return compareTexts(one.toUpperCase(), other.toUpperCase());
};

const comparePrereleases = (one: readonly string[], other: readonly string[]): number => {
  // A release comes after its prereleases.
  if (one.length === 0 || other.length === 0) return Math.sign(other.length - one.length);
  for (const [at, label] of one.entries()) {
    const opposite = other[at];
    const order = opposite === undefined ? 1 : compareLabels(label, opposite);
    if (order !== 0) return order;
  }
  return one.length - other.length;
};

/** The order of two versions: negative if the first one is lower. Build metadata make no difference. */
export const compareVersions = (one: NupkgVersion, other: NupkgVersion): number => {
  for (const [at, number] of one.numbers.entries()) {
    const order = number - (other.numbers[at] ?? 0);
    if (order !== 0) return order;
  }
  return comparePrereleases(one.prerelease, other.prerelease);
};

/** The order of versions for advisories; undefined if a text is no version. */
export const order: VersionOrder = (one, other) => {
  const [first, second] = [parseVersion(one), parseVersion(other)];
  return first && second ? compareVersions(first, second) : undefined;
};
