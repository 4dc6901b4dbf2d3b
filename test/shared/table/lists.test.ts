import { pageOf } from '../../../shared/table/lists.ts';

const all = ['c', 'a', 'd', 'b'].map((position) => ({ position, item: position.toUpperCase() }));

const page = (limit: number | undefined, after?: string) => {
  const { entries, more } = pageOf(all, { limit, after });
  return [entries.map(({ item }) => item).join(''), more];
};

describe('A page of a list that was read whole', () => {
  it.each([
    [undefined, undefined, 'ABCD', false],
    [2, undefined, 'AB', true],
    [4, undefined, 'ABCD', false],
    [5, undefined, 'ABCD', false],
    [2, 'b', 'CD', false],
    [1, 'b', 'C', true],
    [undefined, 'aa', 'BCD', false],
    [2, 'd', '', false],
  ])('of at most %s after %s has %s', (limit, after, items, more) => {
    expect(page(limit, after)).toEqual([items, more]);
  });
});
