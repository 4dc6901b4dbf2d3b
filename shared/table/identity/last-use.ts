const hourMilliseconds = 3_600_000;

/** What can be used, as stored. */
export interface Used {
  /** The hour of the last use. */
  readonly lastUsedAt?: string | undefined;
}

/** The hour to store for a use now; undefined if it is stored. */
export const hourToNote = ({ lastUsedAt }: Used): string | undefined => {
  const now = Date.now();
  const hour = new Date(now - (now % hourMilliseconds)).toISOString();
  return lastUsedAt === undefined || lastUsedAt < hour ? hour : undefined;
};
