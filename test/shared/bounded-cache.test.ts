import { BoundedCache } from '../../shared/bounded-cache.ts';

describe('A bounded cache', () => {
  it('forgets, when it is full, the entry that was not used for longest', () => {
    const cache = new BoundedCache<number>(3);
    for (const [key, value] of Array.from('abc').entries()) cache.set(value, key);
    expect(cache.get('a')).toBe(0);
    cache.set('d', 3);
    expect(Array.from('abcd').map((key) => cache.get(key))).toEqual([0, undefined, 2, 3]);
  });

  it('keeps as many entries when one is set again, with its new value', () => {
    const cache = new BoundedCache<string>(2);
    cache.set('a', 'first');
    cache.set('b', 'other');
    cache.set('a', 'second');
    expect([cache.get('a'), cache.get('b')]).toEqual(['second', 'other']);
    cache.set('c', 'third');
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([undefined, 'other', 'third']);
  });

  it('forgets one entry or all of them on demand', () => {
    const cache = new BoundedCache<number>(3);
    for (const key of 'abc') cache.set(key, 1);
    cache.delete('b');
    expect(Array.from('abc').map((key) => cache.get(key))).toEqual([1, undefined, 1]);
    cache.clear();
    expect(Array.from('abc').map((key) => cache.get(key))).toEqual([undefined, undefined, undefined]);
  });
});
