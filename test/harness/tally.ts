import type { Answer } from './client.ts';

/** How many answers there are of each status and code. */
export const tally = (answers: readonly Answer[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status, code } of answers) {
    const outcome = code ? `${status} ${code}` : `${status}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
};
