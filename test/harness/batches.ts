import { chunksOf } from '../../shared/chunks.ts';

/** Runs `size` at once and then the next ones, because a busy machine answers a flood late. Results are in order. */
export const inBatches = async <T, R>(
  items: readonly T[],
  size: number,
  run: (item: T) => Promise<R>,
): Promise<R[]> => {
  const results: R[] = [];
  for (const batch of chunksOf(items, size)) results.push(...(await Promise.all(batch.map(run))));
  return results;
};
