import { objectBytesMax } from '../../shared/limits.ts';

/** The maximum number of files in one publication. */
export const filesMax = 20;

/** The maximum size of all files of an upload session. */
export const uploadBytesMax = 5 * 1000 ** 4;

/** The bounds of S3 for a part. The upper one is also the maximum size of a file that one request sends. */
export const [partBytesMin, partBytesMax] = [5 * 1024 ** 2, objectBytesMax] as const;

/** The maximum number of parts of a session: one answer contains all their URLs. */
export const partsMax = 1_000;
