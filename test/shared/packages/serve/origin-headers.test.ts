import { originHeaders } from '../../../../shared/packages/serve/origin-headers.ts';

describe('The headers about the origin of an answer', () => {
  it('name its repositories in order, and nothing of a cache where none is remote', () => {
    expect(originHeaders({ origins: ['local', 'other'] })).toEqual({ 'X-Stockroom-Origin': 'local,other' });
  });

  it.each([
    [['hit'], 'hit', undefined],
    [['hit', 'revalidated'], 'revalidated', undefined],
    [['miss', 'hit', 'revalidated'], 'miss', undefined],
    [['hit', 'stale', 'miss'], 'stale', '110 - "Response is Stale"'],
  ] as const)('say of parts that are %j: %s', (caches, cache, warning) => {
    const headers = originHeaders({ origins: ['remote'], caches });
    expect([headers['X-Stockroom-Cache'], headers.Warning]).toEqual([cache, warning]);
  });

  it('warn of each upstream whose part is missing, beside a part that is stale', () => {
    const headers = originHeaders({ origins: ['a'], caches: ['stale'], unreachable: ['b', 'c'] });
    expect(headers.Warning).toBe(
      '110 - "Response is Stale", 199 - "The upstream of b failed", 199 - "The upstream of c failed"',
    );
  });
});
