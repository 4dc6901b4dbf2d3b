/**
 * What a page may do at the bucket: send bytes to a URL that it was given. The URL is the credential, so the origin of the page does
 * not matter, and no cookie comes along.
 */
export const pageUploads = { method: 'PUT', origin: '*', header: 'x-amz-checksum-sha256', seconds: 3_600 } as const;
