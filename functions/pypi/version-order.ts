import type { VersionOrder } from '../../shared/table/repositories/advisories.ts';
import { normalVersion } from './versions.ts';

/** The parts of a version in its normal spelling (PEP 440). */
const pattern =
  /^(?:(?<epoch>\d+)!)?(?<release>[\d.]+)(?:(?<letter>a|b|rc)(?<pre>\d+))?(?:\.post(?<post>\d+))?(?:\.dev(?<dev>\d+))?(?:\+(?<local>.+))?$/;

/** A part that sorts before every number, or behind. */
const before = -1n;
const behind = 1n << 512n;

/** The key of a version without its local part, each number as an integer of any size. */
const keyOf = (version: string): readonly bigint[] => {
  const { epoch = '0', release = '0', letter, pre = '0', post, dev } = pattern.exec(version)?.groups ?? {};
  const numbers = release.split('.').map(BigInt);
  // Zeros at the end make no difference: 1.0 is 1.
  const length = numbers.findLastIndex((each) => each !== 0n) + 1;
  // PEP 440: a version with nothing but `.dev` comes before its pre-releases.
  const phase = letter ? BigInt(['a', 'b', 'rc'].indexOf(letter)) : dev && post === undefined ? before : behind;
  const tail = [
    phase,
    BigInt(pre),
    post === undefined ? before : BigInt(post),
    dev === undefined ? behind : BigInt(dev),
  ];
  return [BigInt(epoch), ...numbers.slice(0, length), before, ...tail];
};

const compareParts = <T extends bigint | string>(ones: readonly T[], others: readonly T[]): number => {
  for (const [at, one] of ones.entries()) {
    const other = others[at];
    if (other === undefined) return 1;
    if (one !== other) return one < other ? -1 : 1;
  }
  return ones.length - others.length;
};

/** The parts of a local version: numbers are greater than texts. */
const localKeyOf = (version: string): readonly string[] =>
  (version.split('+')[1] ?? '')
    .split('.')
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? `~${part.padStart(128, '0')}` : part));

interface Keys {
  readonly key: readonly bigint[];
  readonly local: readonly string[];
}

const keysOf = (version: string): Keys => ({ key: keyOf(version), local: localKeyOf(version) });

const compareKeys = (one: Keys, other: Keys): number =>
  compareParts(one.key, other.key) || compareParts(one.local, other.local);

/** Versions in their normal spelling, from the lowest to the highest (PEP 440). */
export const sortedVersions = (versions: Iterable<string>): readonly string[] =>
  Array.from(versions, (version) => ({ version, ...keysOf(version) }))
    .toSorted(compareKeys)
    .map(({ version }) => version);

/** Whether a version in its normal spelling is a pre-release or a development release. */
export const isPrerelease = (version: string): boolean => /(?:a|b|rc)\d|\.dev/.test(version.split('+')[0] ?? '');

/** The order of versions for advisories; undefined if a text is no version. */
export const order: VersionOrder = (one, other) => {
  const [first, second] = [normalVersion(one), normalVersion(other)];
  return first === undefined || second === undefined ? undefined : compareKeys(keysOf(first), keysOf(second));
};
