import { isPackageName, newNameProblems, scopeOf, unscopedOf } from '../../../functions/npm/names.ts';

describe('the name of a package', () => {
  it.each([
    'a',
    'left-pad',
    'lodash.merge',
    'JSONStream',
    'jquery.ui~1',
    "it's",
    'a(b)*!',
    '@acme/web',
    '@acme/_private',
    '@ember-data/-build-infra',
    '@Acme/Web',
    '1',
    'a'.repeat(255),
  ])('may be %s', (name) => {
    expect(isPackageName(name)).toBe(true);
  });

  it.each([
    '',
    '.',
    '..',
    '.hidden',
    '_private',
    '-',
    '-rev',
    'node_modules',
    'Node_Modules',
    'favicon.ico',
    '@acme/node_modules',
    'a b',
    'a/b',
    'a%2fb',
    'a\\b',
    'a\0b',
    'a\n',
    'é',
    '@',
    '@acme',
    '@acme/',
    '@/web',
    '@acme/web/x',
    '@acme/.web',
    '@acme/..',
    '@ac me/web',
    'a@b',
    'a:b',
    'a'.repeat(256),
    `@acme/${'a'.repeat(256)}`,
  ])('is never %j', (name) => {
    expect(isPackageName(name)).toBe(false);
  });

  it('has a scope or none', () => {
    expect([scopeOf('@acme/web'), unscopedOf('@acme/web')]).toEqual(['acme', 'web']);
    expect([scopeOf('web'), unscopedOf('web')]).toEqual([undefined, 'web']);
  });
});

describe('the name of a new package', () => {
  it.each(['web', '@acme/web', '@acme/_web', 'a.b-c_d', '7zip', 'a'.repeat(214)])('may be %s', (name) => {
    expect(newNameProblems(name)).toEqual([]);
  });

  it.each([
    ['Web', /capital/],
    ['@Acme/web', /capital/],
    ['a'.repeat(215), /at most 214/],
    ['a~b', /none of the characters/],
    ['.web', /begins with a letter/],
    ['node_modules', /letters, digits/],
    ['', /letters, digits/],
  ])('is never %s', (name, sentence) => {
    const problems = newNameProblems(name);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(sentence);
  });

  it('gets a sentence for each rule that it breaks', () => {
    expect(newNameProblems(`~${'A'.repeat(214)}`)).toHaveLength(3);
  });
});
