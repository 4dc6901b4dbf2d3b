import { compareNumbers, compareTexts } from '../../shared/text-order.ts';

/** Epoch, version and release: what orders the builds of a package. */
export interface Evr {
  /** A number as text. */
  readonly epoch: string;
  readonly version: string;
  readonly release: string;
}

const segmentsOf = (text: string): string[] =>
  Array.from(text.matchAll(/[~^]|\d+|[A-Za-z]+/g), ([segment]) => segment.replace(/^0+(?=\d)/, ''));

const isNumber = (segment: string): boolean => /^\d/.test(segment);

/** A text that has a tilde where the other has none is older. */
const byTilde = (one: string | undefined, other: string | undefined): number =>
  Number(other === '~') - Number(one === '~');

/** A text that has a caret is newer than the one that ends there, and older than the one that goes on. */
const byCaret = (one: string | undefined, other: string | undefined): number => {
  if (one === other || (one !== '^' && other !== '^')) return 0;
  if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
  return one === '^' ? -1 : 1;
};

const byText = (one: string, other: string): number => {
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? 1 : -1;
  return isNumber(one) ? compareNumbers(one, other) : compareTexts(one, other);
};

const bySegment = (one: string | undefined, other: string | undefined): number =>
  byTilde(one, other) || byCaret(one, other) || (one === undefined ? -1 : other === undefined ? 1 : byText(one, other));

/** The order of two versions, or of two releases (`rpmvercmp`): negative if the first is the older one. */
export const compareVersions = (one: string, other: string): number => {
  const [ones, others] = [segmentsOf(one), segmentsOf(other)];
  for (let at = 0; at < Math.max(ones.length, others.length); at += 1) {
    const order = bySegment(ones[at], others[at]);
    if (order !== 0) return order;
  }
  return 0;
};

/** The order of `rpm.labelCompare`: negative if the first build is the older one. */
export const compareEvrs = (one: Evr, other: Evr): number =>
  Number(one.epoch) - Number(other.epoch) ||
  compareVersions(one.version, other.version) ||
  compareVersions(one.release, other.release);
