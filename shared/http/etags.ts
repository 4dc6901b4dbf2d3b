/** Whether `If-None-Match` says that the client already has the bytes with this tag (RFC 9110 section 13.1.2: weak comparison). */
export const isInIfNoneMatch = (etag: string, ifNoneMatch = ''): boolean =>
  ifNoneMatch
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === '*' || tag === etag);
