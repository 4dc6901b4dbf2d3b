import { isFound, parseSearch, searchResult } from '../../../functions/npm/search.ts';

describe('a search', () => {
  it('asks for words, a scope and a page', () => {
    expect(
      parseSearch({ text: ' Web  tools scope:@acme not:unstable', from: '20', size: '5', quality: '0.65' }),
    ).toEqual({
      scope: 'acme',
      words: ['web', 'tools'],
      from: 20,
      size: 5,
    });
    expect(parseSearch({ text: 'scope:acme' })).toMatchObject({ scope: 'acme', words: [] });
  });

  it.each([
    [{}, 0, 20],
    [{ from: '-1', size: 'all' }, 0, 20],
    [{ from: '1e3', size: '251' }, 0, 250],
    [{ from: '1'.repeat(20), size: '0' }, 0, 0],
  ])('with %j begins at %s and has at most %s packages', (query, from, size) => {
    expect(parseSearch(query)).toEqual({ words: [], from, size });
  });

  it.each([
    ['web', '@acme/web-tools', true],
    ['WEB tools', '@acme/Web-Tools', true],
    ['web api', '@acme/web-tools', false],
    ['scope:acme', '@acme/web', true],
    ['scope:acme', 'acme', false],
    ['scope:acme', '@acme-labs/web', false],
    ['', 'web', true],
    ['keywords:web', 'web', false],
    ['not:unstable web', 'web', true],
  ])('for %j finds %s: %s', (text, name, found) => {
    expect(isFound(parseSearch({ text }), name)).toBe(found);
  });
});

describe('the result of a search', () => {
  const time = '2026-01-02T03:04:05.678Z';
  const found = (manifest: Record<string, unknown>): unknown => {
    const hit = { manifest: { name: '@acme/web', version: '1.0.0', ...manifest }, time, publisher: 'robin' };
    const { objects, ...rest } = searchResult([hit], { others: [], total: 7, time });
    expect(rest).toEqual({ total: 7, time });
    const [object] = objects as { package: unknown; score: unknown; searchScore: unknown }[];
    expect([typeof object?.score, object?.searchScore]).toEqual(['object', 1]);
    return object?.package;
  };
  const least = {
    name: '@acme/web',
    scope: 'acme',
    version: '1.0.0',
    keywords: [],
    date: time,
    links: {},
    publisher: { username: 'robin' },
    maintainers: [],
  };

  it('shows what clients show of a package', () => {
    expect(
      found({
        description: 'Web',
        license: 'MIT',
        keywords: ['a', 5, 'b'],
        homepage: 'https://a.test',
        repository: { type: 'git', url: 'https://a.test/web' },
        bugs: 'https://a.test/bugs',
        maintainers: [{ name: 'robin', email: 'robin@acme.test' }, { email: 5 }, 'kim'],
        main: 'index.js',
      }),
    ).toEqual({
      ...least,
      description: 'Web',
      license: 'MIT',
      keywords: ['a', 'b'],
      links: { homepage: 'https://a.test', repository: 'https://a.test/web', bugs: 'https://a.test/bugs' },
      maintainers: [{ username: 'robin', email: 'robin@acme.test' }, { username: '' }],
    });
  });

  it('has every list that npm needs, whatever the manifest holds', () => {
    expect(found({})).toEqual(least);
    expect(found({ keywords: 'a', maintainers: {}, repository: null, description: 5 })).toEqual(least);
    expect(found({ name: 'web' })).toEqual({ ...least, name: 'web', scope: 'unscoped' });
  });
});
