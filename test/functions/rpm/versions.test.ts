import { compareEvrs, compareVersions } from '../../../functions/rpm/versions.ts';

describe('The order of versions', () => {
  it.each([
    ['1.0', '1.0'],
    ['1.0', '1_0'],
    ['01', '1'],
    ['1.', '1'],
  ])('has %s and %s as equal', (one, other) => {
    expect(compareVersions(one, other)).toBe(0);
  });

  it.each([
    ['1.0~rc1', '1.0'],
    ['1.0', '1.0^git1'],
    ['1.0^git1', '1.0.1'],
    ['1.0~rc1^git1', '1.0'],
    ['1.0~rc1', '1.0~rc1^git1'],
    ['9', '10'],
    ['1.a', '1.1'],
    ['a', 'b'],
    ['1.0', '1.0a'],
    ['1.0', '1.0.0'],
  ])('has %s before %s', (one, other) => {
    expect([Math.sign(compareVersions(one, other)), Math.sign(compareVersions(other, one))]).toEqual([-1, 1]);
  });

  it('compares the epoch first, and the release last', () => {
    const build = { epoch: '0', version: '2', release: '2' };
    expect(compareEvrs(build, { epoch: '1', version: '1', release: '1' })).toBeLessThan(0);
    expect(compareEvrs(build, { ...build, release: '10' })).toBeLessThan(0);
    expect(compareEvrs(build, { ...build, epoch: '0' })).toBe(0);
  });
});
