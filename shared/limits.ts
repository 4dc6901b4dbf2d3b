/** The maximum number of repositories in one batch of grants. An operator may set a lower maximum, never a higher one. */
export const batchRepositoriesMax = 100;

/** The maximum number of workspaces that a token can be limited to. */
export const limitedWorkspacesMax = 20;

/** After how many days without use a token counts as unused, where the operator sets nothing else. */
export const unusedTokenDaysDefault = 90;
export const unusedTokenDaysMax = 9_999;

/** The length of a password in characters. */
export const passwordLength = { min: 8, max: 400 } as const;

/** The maximum number of entries in the answer of a list without `limit`. */
export const listEntriesMax = 5_000;

/** The maximum size of a list in an answer. A response of Lambda has at most 6 MB, and contains the body as a JSON string. */
export const listBytesMax = 4_000_000;

/** How long the records of changes are kept, in days, unless the operator chooses another time. */
export const recordRetentionDaysDefault = 400;
export const recordRetentionDaysMax = 3_650;

/** How long a request may take at most, in milliseconds, where more than usual must be done: API Gateway waits 29 seconds. */
export const longRequestMilliseconds = 25_000;

/** The maximum size of a JSON body in bytes. */
export const jsonBytesMax = 64 * 1024;

/** The maximum size of a body in a request: an event of Lambda has at most 6 MB, and contains the body as base64. */
export const requestBytesMax = 4_500_000;

/**
 * What S3 takes in one request or as one part, and copies at once: the maximum size of a file that is stored as it is sent.
 * docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html
 */
export const objectBytesMax = 5 * 1024 ** 3;

/** A function reads, hashes and writes at least 15 MB a second, and has less than 25 seconds for it. */
export const passedBytesMax = 250_000_000;

/** A function has 1 GB of memory. A document is in it as bytes, as text, as a value, and decoded: nearly five times. */
export const parsedBytesMax = 100_000_000;

/** How many connections to one service of AWS a process has at most: more than the local runner calls one function at once. */
export const connectionsMax = 100;

/** The time to store an answer of an upstream. API Gateway waits 29 seconds for that answer and for this. */
export const storeMilliseconds = 5_000;
