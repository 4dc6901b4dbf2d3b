import { fullText, parseVersion } from './versions.ts';

/** Any version. */
export const anyVersion = '(, )';

const bound = (text: string): string => {
  const version = parseVersion(text);
  return version ? fullText(version) : text;
};

/**
 * The range of versions of a dependency, as registrations show it: `1.0` is `[1.0.0, )`. What is no such range, such as one that
 * floats, stays as it is.
 */
export const normalRange = (text = ''): string => {
  const range = text.trim();
  if (range === '') return anyVersion;
  const groups = /^(?<start>[[(])(?<inner>[^[\]()]*)(?<end>[\])])$/.exec(range)?.groups;
  if (!groups) return parseVersion(range) ? `[${bound(range)}, )` : range;
  const { start = '', inner = '', end = '' } = groups;
  const [lower = '', upper = lower, ...others] = inner.split(',').map((part) => bound(part.trim()));
  return others.length > 0 ? range : `${start}${lower}, ${upper}${end}`;
};
