import fc from 'fast-check';
import semver from 'semver';
import { isTag } from '../../../functions/npm/tags.ts';
import { latestOf, normalVersion } from '../../../functions/npm/versions.ts';

describe('a version', () => {
  it.each([
    ['1.0.0', '1.0.0'],
    ['1.0.0-rc.1', '1.0.0-rc.1'],
    ['v1.0.0', '1.0.0'],
    [' =1.0.0 ', '1.0.0'],
    ['1.0.0+build.5', '1.0.0'],
  ])('%j is written %s', (text, normal) => {
    expect(normalVersion(text)).toBe(normal);
  });

  it.each(['', '1', '1.0', '01.0.0', '1.0.0.0', '1.0.0-01', 'latest', '1.x', '../1.0.0', `1.0.0-${'a'.repeat(300)}`])(
    '%s is none',
    (text) => {
      expect(normalVersion(text)).toBeUndefined();
    },
  );
});

describe('a dist-tag', () => {
  it.each(['latest', 'next', 'beta-2', 'release.candidate', 'canary_1', 'a'.repeat(214)])('may be %s', (text) => {
    expect(isTag(text)).toBe(true);
  });

  it.each([
    '',
    '1',
    '1.0.0',
    'v2',
    '^1',
    'x',
    '*',
    '>=1',
    '1 - 2',
    'a b',
    'a/b',
    'é',
    '.',
    '..',
    '__proto__',
    'a'.repeat(215),
  ])('is never %j', (text) => {
    expect(isTag(text)).toBe(false);
  });
});

describe('latest, when no tag says so,', () => {
  it.each([
    [['1.0.0', '1.10.0', '1.9.0'], '1.10.0'],
    [['1.0.0', '2.0.0-rc.1'], '1.0.0'],
    [['2.0.0-rc.1', '1.0.0'], '1.0.0'],
    [['2.0.0-rc.1', '2.0.0-rc.2', '2.0.0-beta'], '2.0.0-rc.2'],
    [['nightly', '0.1.0'], '0.1.0'],
    [['nightly'], undefined],
    [[], undefined],
  ])('of %j is %s', (versions, latest) => {
    expect(latestOf(versions)).toBe(latest);
  });

  it('is no lower than any release', () => {
    const number = fc.nat(12);
    const versions = fc
      .tuple(number, number, number, fc.constantFrom('', '-a', '-b.1'))
      .map(([major, minor, patch, tail]) => `${major}.${minor}.${patch}${tail}`);
    fc.assert(
      fc.property(fc.array(versions, { minLength: 1 }), (list) => {
        const releases = list.filter((version) => semver.prerelease(version) === null);
        const [highest] = semver.rsort([...(releases.length > 0 ? releases : list)]);
        expect(latestOf(list)).toBe(highest);
      }),
    );
  });
});
