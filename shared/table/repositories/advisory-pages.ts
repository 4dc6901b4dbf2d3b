import { chunksOf } from '../../chunks.ts';
import type { PackageType } from '../../package-types.ts';
import { compareTexts } from '../../text-order.ts';
import type { IdentityMap } from '../identity-map.ts';
import type { Key } from '../keys.ts';
import type { Write } from '../writes.ts';
import { type Advisory, type AdvisoryPage, levelOf, levels } from './advisories.ts';
import { advisoryPageKey } from './advisory-keys.ts';

/** The bytes of advisories on one page. The first page on a name is in each read of the package behind a gate. */
export const pageBytesMax = 24_576;

/** The most pages on one name: one transaction writes all of them. */
export const pagesMax = 90;

/** An advisory with more affected versions or ranges stands in several pieces. A version has at most 255 characters. */
const versionsPerPiece = 60;
const rangesPerPiece = 1;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** An advisory in pieces that fit on pages. Each is about a part of the affected versions. */
const piecesOf = (advisory: Advisory): readonly Advisory[] => {
  if (bytesOf(advisory) <= pageBytesMax / 2) return [advisory];
  return [
    ...chunksOf(advisory.versions, versionsPerPiece).map((versions) => ({ ...advisory, versions, ranges: [] })),
    ...chunksOf(advisory.ranges, rangesPerPiece).map((ranges) => ({ ...advisory, versions: [], ranges })),
  ];
};

/** What matters most first, and then in an order that does not depend on who wrote it. */
const byLevel = (one: Advisory, other: Advisory): number =>
  levels.indexOf(levelOf(one)) - levels.indexOf(levelOf(other)) || compareTexts(one.id, other.id);

const filled = (pieces: readonly Advisory[]): readonly (readonly Advisory[])[] => {
  const pages: Advisory[][] = [[]];
  let bytes = 0;
  for (const piece of pieces) {
    const more = bytesOf(piece) + 1;
    if (bytes + more > pageBytesMax) {
      pages.push([]);
      bytes = 0;
    }
    pages.at(-1)?.push(piece);
    bytes += more;
  }
  return pages;
};

/** The pages with the advisories on a name; what matters least is left out of more than `pagesMax`. */
export const pagesOf = (
  packageType: PackageType,
  name: string,
  advisories: readonly Advisory[],
): readonly AdvisoryPage[] => {
  const pages = filled(advisories.toSorted(byLevel).flatMap(piecesOf)).slice(0, pagesMax);
  const further = pages.slice(1).flatMap(([first]) => (first ? levelOf(first) : []));
  return pages.map((page, at) => ({ packageType, name, list: JSON.stringify(page), further: at === 0 ? further : [] }));
};

/** The writes that replace all that is known about a name, which had so many pages before. */
export const advisoryWrites = (
  packageType: PackageType,
  name: string,
  advisories: readonly Advisory[],
  pagesBefore: number,
): Write[] => {
  const pages = advisories.length === 0 ? [] : pagesOf(packageType, name, advisories);
  const keyAt = (at: number) => advisoryPageKey(packageType, name, at);
  const unneeded = Array.from({ length: Math.max(0, pagesBefore - pages.length) }, (_, at) => at + pages.length);
  return [
    ...pages.map((page, at) => ({ put: { ...keyAt(at), ...page } })),
    ...unneeded.map((at) => ({ remove: keyAt(at) })),
  ];
};

/** The keys of all pages on a name, as far as the items in `loaded` lead: the first one says how many there are. */
export const everyPageKey = (
  packageType: PackageType,
  name: string,
  loaded: IdentityMap,
): readonly Key<AdvisoryPage>[] => {
  const first = advisoryPageKey(packageType, name, 0);
  const further = loaded.find(first)?.further ?? [];
  return [first, ...further.map((_, at) => advisoryPageKey(packageType, name, at + 1))];
};

/** All pages on a name, as far as they are in `loaded`. */
export const everyPage = (packageType: PackageType, name: string, loaded: IdentityMap): readonly AdvisoryPage[] =>
  everyPageKey(packageType, name, loaded).flatMap((key) => loaded.find(key) ?? []);

/** The advisories on these pages, each whole: one in several pieces is one again. */
export const advisoriesOn = (pages: readonly Pick<AdvisoryPage, 'list'>[]): readonly Advisory[] => {
  const whole = new Map<string, Advisory>();
  for (const piece of pages.flatMap(({ list }) => JSON.parse(list) as readonly Advisory[])) {
    const before = whole.get(piece.id);
    const joined = before && {
      versions: [...before.versions, ...piece.versions],
      ranges: [...before.ranges, ...piece.ranges],
    };
    whole.set(piece.id, { ...piece, ...joined });
  }
  return [...whole.values()];
};
