/** The maximum number of repositories in one batch of grants. An operator may set a lower maximum, never a higher one. */
export const batchRepositoriesMax = 100;

/** The length of a password in characters. */
export const passwordLength = { min: 8, max: 400 } as const;
