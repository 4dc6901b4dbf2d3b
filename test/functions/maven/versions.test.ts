import { compareVersions, sortVersions } from '../../../functions/maven/versions.ts';

describe('the order of versions', () => {
  it('is that of Maven', () => {
    const sorted = [
      '1-alpha-1',
      '1-beta-1',
      '1-milestone-1',
      '1-rc-1',
      '1-SNAPSHOT',
      '1',
      '1-sp',
      '1-foo',
      '1-1',
      '1.1-rc1',
      '1.1',
      '1.2',
      '1.10',
    ];
    expect(sortVersions(sorted.toReversed())).toEqual(sorted);
  });

  it.each([
    ['1', '1.0'],
    ['1.0', '1-ga'],
    ['1-GA', '1.0.0-final'],
    ['1-a1', '1-alpha-1'],
    ['1-cr', '1-RC'],
    ['1.x', '1-x'],
    ['99999999999999999999.0', '99999999999999999999'],
  ])('has %s and %s at one place', (one, other) => {
    expect([compareVersions(one, other), compareVersions(other, one)].map(Math.abs)).toEqual([0, 0]);
  });

  it.each([
    ['1-sp', '1-1'],
    ['1-1', '1.1'],
    ['1-constructor1', '1-foo'],
    ['999999999999999999998', '999999999999999999999'],
    ['1-0.alpha', '1-0.beta'],
  ])('has %s before %s', (one, other) => {
    expect([compareVersions(one, other), compareVersions(other, one)]).toEqual([-1, 1]);
  });

  it('needs little time for versions of any form', () => {
    const long = ['-'.repeat(100_000), '1-'.repeat(50_000), '9'.repeat(100_000), 'a1'.repeat(50_000)];
    expect(sortVersions(long)).toHaveLength(long.length);
  });
});
