import { parsePattern } from '../../../functions/conan/patterns.ts';

const takes = (pattern: string, recipe: string): boolean => parsePattern(pattern, true).takes(recipe);

describe('A pattern of recipes', () => {
  it.each([
    ['*', 'acme/1.0'],
    ['acme', 'acme/1.0'],
    ['acme/1.0', 'acme/1.0@me/stable'],
    ['acme/*', 'acme/1.0'],
    ['acme*', 'acme-core/1.0'],
    ['*core/1.?', 'acme-core/1.0'],
    ['acme/[0-2].*', 'acme/1.0'],
    ['acme/[!2].*', 'acme/1.0'],
    ['acme/1[.]0', 'acme/1.0'],
    ['acme/[]1].0', 'acme/1.0'],
    ['ac[me/1.0', 'ac[me/1.0'],
    ['a**e/*', 'acme/1.0'],
    ['acme/*@me/*', 'acme/1.0@me/stable'],
    ['ACME/*', 'acme/1.0'],
    ['acme/[1-]*', 'acme/-1'],
  ])('%s takes %s', (pattern, recipe) => {
    expect(takes(pattern, recipe)).toBe(true);
  });

  it.each([
    ['', 'acme/1.0'],
    ['acme/', 'acme/1.0'],
    ['acm', 'acme/1.0'],
    ['acme/[!1].0', 'acme/1.0'],
    ['acme/?', 'acme/1.0'],
    ['cme*', 'acme/1.0'],
    ['acme/1.0?', 'acme/1.0'],
    ['acme/*x', 'acme/1.0'],
  ])('%j does not take %s', (pattern, recipe) => {
    expect(takes(pattern, recipe)).toBe(false);
  });

  it.each([
    ['acme/*', 'acme', true],
    ['acme', 'acme', true],
    ['Acme/1.0', 'acme', true],
    ['acme*', 'acme', false],
    ['ac?e/1', 'ac', false],
    ['[ab]*', '', false],
    ['*', '', false],
  ])('%s is about %j, which is the whole name: %s', (pattern, name, isExact) => {
    expect(parsePattern(pattern, true)).toMatchObject({ name, isExact });
  });

  it('respects the case if it is told to', () => {
    expect(parsePattern('Acme/*', false).takes('acme/1.0')).toBe(false);
  });
});
