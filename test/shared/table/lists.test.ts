import { inPortions, pageOf } from '../../../shared/table/lists.ts';

const all = ['c', 'a', 'd', 'b'].map((position) => ({ position, item: position.toUpperCase() }));

const page = (limit: number | undefined, after?: string) => {
  const { entries, next } = pageOf({ entries: all, next: undefined }, { limit, after });
  return [entries.map(({ item }) => item).join(''), next];
};

describe('A page of a list that was read whole', () => {
  it.each([
    [undefined, undefined, 'ABCD', undefined],
    [2, undefined, 'AB', 'b'],
    [4, undefined, 'ABCD', undefined],
    [5, undefined, 'ABCD', undefined],
    [2, 'b', 'CD', undefined],
    [1, 'b', 'C', 'c'],
    [undefined, 'aa', 'BCD', undefined],
    [2, 'd', '', undefined],
  ])('of at most %s after %s has %s', (limit, after, items, next) => {
    expect(page(limit, after)).toEqual([items, next]);
  });
});

const numbers = (length: number) => Array.from({ length }, (_, index) => index);

/** Loads numbers as entries of this size, and counts them. */
const loading = (bytes: number) => {
  let loaded = 0;
  const load = async (portion: readonly number[]) => {
    loaded += portion.length;
    return portion.map((number) => ({ position: String(number), item: 'x'.repeat(bytes - 2) }));
  };
  return { load, count: () => loaded };
};

describe('A list without a limit', () => {
  it('is loaded whole if it fits into one answer', async () => {
    const { load, count } = loading(800);
    const { entries, next } = await inPortions(numbers(5_000), load);
    expect([entries.length, next, count()]).toEqual([5_000, undefined, 5_000]);
  });

  it('is loaded no further than one answer holds', async () => {
    const { load, count } = loading(4_001);
    const { entries, next } = await inPortions(numbers(5_000), load);
    expect([entries.length, next, count()]).toEqual([1_000, '999', 1_000]);
  });
});
