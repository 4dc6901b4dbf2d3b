import { compareVersions, isVersion, versionOf } from '../../../functions/cargo/versions.ts';

/** The example of semver.org, from the lowest to the highest. */
const ordered = [
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.1-0',
  '1.0.9',
  '1.0.10',
  '18446744073709551615.0.0',
];

describe('a version', () => {
  it('has the order of SemVer', () => {
    for (const [at, version] of ordered.entries())
      for (const [other, opposite] of ordered.entries())
        expect(Math.sign(compareVersions(version, opposite))).toBe(Math.sign(at - other));
  });

  it.each(['1.0.0', '0.0.0-0', '1.0.0-a.b-c.0+01.x', '1.0.0+001', '1.0.0--', '18446744073709551615.0.0'])(
    '%s is one',
    (text) => expect(isVersion(text)).toBe(true),
  );

  it.each([
    '',
    '1',
    '1.0',
    'v1.0.0',
    ' 1.0.0',
    '1.0.0 ',
    '1.0.0\n',
    '01.0.0',
    '1.0.0-01',
    '1.0.0-',
    '1.0.0+',
    '1.0.0+a+b',
    '1.0.0-a..b',
    '1.0.0-ü',
    '1.0.0.0',
    '18446744073709551616.0.0',
    `1.0.0-${'a'.repeat(150)}`,
  ])('%j is none', (text) => expect(isVersion(text)).toBe(false));

  it('is the same with other build metadata', () => {
    expect(['1.0.0', '1.0.0+a', '1.0.0-b+c-d'].map(versionOf)).toEqual(['1.0.0', '1.0.0', '1.0.0-b']);
    expect(compareVersions('1.0.0+a', '1.0.0+b')).toBe(0);
  });
});
