/**
 * Decodes each segment of a percent-encoded path once. Undefined if a segment is empty, `.` or `..`, is not valid UTF-8,
 * contains a backslash or a character that nobody sees, begins or ends with a blank, or has more than 255 bytes.
 */
export const decodeSegments = (rawPath: string): readonly string[] | undefined => {
  const segments: string[] = [];
  for (const raw of rawPath.split('/')) {
    const segment = decoded(raw);
    if (segment === undefined || isForbiddenSegment(segment)) return undefined;
    segments.push(segment);
  }
  return segments;
};

/** A path without its segments `.`, which lead nowhere: lists of an upstream may have them, and clients ask as it is listed. */
export const withoutDots = (path: string): string =>
  path
    .split('/')
    .filter((segment) => segment !== '.')
    .join('/');

const segmentBytesMax = 255;

/** Characters that nobody sees: with those that turn the direction of a text, `gpj.exe` reads as `exe.jpg`. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^\s|\s$/u;

/** Whether a decoded segment could reach elsewhere, is no text, or looks like another one. */
export const isForbiddenSegment = (segment: string): boolean =>
  segment === '' ||
  segment === '.' ||
  segment === '..' ||
  segment.includes('\\') ||
  unseen.test(segment) ||
  !segment.isWellFormed() ||
  Buffer.byteLength(segment) > segmentBytesMax;

const decoded = (raw: string): string | undefined => {
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
};
