/** How many upstreams one request asks at the same time: a virtual repository can combine very many. */
export const upstreamsAtOnceMax = 8;

/** Does work for each item, for the first ones first and for at most `max` at the same time. The results are in the order of the items. */
export const mappedInOrder = async <T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  max = upstreamsAtOnceMax,
): Promise<R[]> => {
  const results: R[] = [];
  const left = items.entries();
  const goOn = async (): Promise<void> => {
    // All of them take from the same iterator.
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(max, items.length) }, goOn));
  return results;
};
