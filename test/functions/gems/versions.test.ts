import { versionSpelling } from '../../../functions/gems/full-names.ts';
import { compareVersions, isPrerelease, isVersion, versionKeyOf } from '../../../functions/gems/versions.ts';
import { namesVersion } from '../../../shared/packages/releases/gate-of.ts';

// `npm run test:orders` compares all of this with RubyGems itself.
describe('A version of a gem', () => {
  const ordered = ['0.9', '1.0.a', '1.0.a.2', '1.0.b1', '1.0.b2.1', '1.0.b10', '1.0', '1.0.1', '1.9.3', '1.10', '10'];

  it('has the order of Gem::Version', () => {
    expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered);
    expect(compareVersions('1.99999999999999999999', '1.100000000000000000000')).toBeLessThan(0);
  });

  it.each([
    ['1', '1.0.0'],
    ['1.0', '1.0.0'],
    ['01.2', '1.2.0'],
    ['1.2.3.4', '1.2.3.4'],
    ['1.2.0.0', '1.2.0'],
    ['1.0.rc1', '1.0.0.rc1'],
    ['1.0.0.rc.1', '1.0.0.rc1'],
    ['1.0.0.rc.0', '1.0.0.rc'],
    ['1.0.0.a.b.1.2', '1.0.0.a.b1.2'],
    ['1.0.0rc', '1.0.0.rc'],
  ])('%s is known as %s', (version, key) => {
    expect(versionKeyOf(version)).toBe(key);
    expect(versionKeyOf(key)).toBe(key);
    expect(compareVersions(version, key)).toBe(0);
  });

  it('is a prerelease with a letter', () => {
    expect(['1.0.a', '1.0', '1.0.0.pre.1', '2.1'].map(isPrerelease)).toEqual([true, false, true, false]);
  });

  it.each(['', 'a', '1..0', '1.0-2', ' 1.0', '1.0\n', '.1', '1_0', `1.${'1'.repeat(80)}`])('is not %j', (text) => {
    expect(isVersion(text)).toBe(false);
  });

  it.each([
    ['1.0', '1.0.0', true],
    ['1.0', '1.0.0-java', true],
    ['1.0-java', '1.0.0-java', true],
    ['1.0-java', '1.0.0', false],
    ['1.0', '1.0.0.rc1', false],
    ['1.0', '1.0.1-java', false],
  ])('in a rule, %s stands for %s: %s', (version, other, expected) => {
    expect(namesVersion(version, other, versionSpelling)).toBe(expected);
  });
});
