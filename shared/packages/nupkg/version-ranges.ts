import { compareVersions, fullText, type NupkgVersion, parseVersion } from './versions.ts';

/** Any version. */
export const anyVersion = '(, )';

/** A version with a star, such as `1.*` or `1.0.0-beta.*`. */
const floating = /^(?=.*\*)(?:(?:\d+\.){0,3}\d*\*|\d+(?:\.\d+){0,3})(?:-[0-9A-Za-z.-]*\*)?$/;

interface Bound {
  readonly text: string;
  /** Undefined of a bound that is open or floats. */
  readonly version?: NupkgVersion;
}

const boundOf = (text: string): Bound | undefined => {
  const version = parseVersion(text);
  if (version) return { text: fullText(version), version };
  return text === '' || (text.length <= 100 && floating.test(text)) ? { text } : undefined;
};

/** Whether no version could be between two bounds, as in `[2.0,1.0]`. */
const isEmptyBetween = ({ version: lower }: Bound, { version: upper }: Bound, isSame: boolean): boolean => {
  const order = lower && upper ? compareVersions(lower, upper) : -1;
  return order > 0 || (order === 0 && !isSame);
};

/** A range with brackets; undefined if NuGet could not read it. */
const betweenBrackets = (start: string, inner: string, end: string): string | undefined => {
  const [lower, upper, ...others] = inner.split(',').map((part) => boundOf(part.trim()));
  if (!lower || others.length > 0) return undefined;
  const brackets = start + end;
  if (inner === ',') return undefined;
  if (!inner.includes(',')) return lower.version && brackets === '[]' ? `[${lower.text}, ${lower.text}]` : undefined;
  if (!upper || upper.text.includes('*') || isEmptyBetween(lower, upper, brackets === '[]' || brackets === '()'))
    return undefined;
  return lower.text === '' && upper.text === '' ? anyVersion : `${start}${lower.text}, ${upper.text}${end}`;
};

/**
 * The range of versions of a dependency, as registrations show it: `1.0` is `[1.0.0, )`. One that floats stays as it is. Undefined of
 * what NuGet could not read: it would fail at all versions of the package.
 */
export const readRange = (text = ''): string | undefined => {
  const range = text.trim();
  if (range === '') return anyVersion;
  const { start, inner, end } = /^(?<start>[[(])(?<inner>[^[\]()]*)(?<end>[\])])$/.exec(range)?.groups ?? {};
  if (start !== undefined && inner !== undefined && end !== undefined) return betweenBrackets(start, inner, end);
  const bound = boundOf(range);
  return bound?.version ? `[${bound.text}, )` : bound?.text;
};

/** The same of what was published before, or comes from an upstream: a range that nobody can read is any version. */
export const normalRange = (text?: string): string => readRange(text) ?? anyVersion;
