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
