/** Whether `If-None-Match` says that the client already has the bytes with this tag (RFC 9110 section 13.1.2: weak comparison). */
export const isInIfNoneMatch = (etag: string, ifNoneMatch = ''): boolean =>
  ifNoneMatch
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === '*' || tag === etag);

/** What a client may compare its copy by. */
export interface Validators {
  /** A strong entity tag, with its quotes. */
  readonly etag: string;
  /** A date that stands for the tag, for clients that compare dates alone. */
  readonly lastModified?: string | undefined;
}

/**
 * Whether the client already has the bytes. The date counts only without a tag (RFC 9110 section 13.1.3), and only if it is the same
 * text: it does not say which of two revisions is newer.
 */
export const isUnchanged = (
  { etag, lastModified }: Validators,
  header: (name: string) => string | undefined,
): boolean => {
  const tags = header('if-none-match');
  if (tags !== undefined) return isInIfNoneMatch(etag, tags);
  return lastModified !== undefined && header('if-modified-since')?.trim() === lastModified;
};
