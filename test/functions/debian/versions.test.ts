import { compareVersions } from '../../../functions/debian/versions.ts';

describe('The order of versions', () => {
  it.each([
    ['1.0', '1.0'],
    ['1.0', '0:1.0'],
    ['1.0', '1.0-0'],
    ['1.00', '1.0'],
    ['1.0-1', '01.0-01'],
  ])('has %s and %s as equal', (one, other) => {
    expect(compareVersions(one, other)).toBe(0);
  });

  it.each([
    ['1.0~rc1', '1.0'],
    ['1.0~~', '1.0~'],
    ['1.0~', '1.0~a'],
    ['1.0', '1.0a'],
    ['1.0a', '1.0+'],
    ['1.0+a', '1.0.1'],
    ['9', '10'],
    ['2.0', '1:1.0'],
    ['9:1', '10:1'],
    ['1.0-1', '1.0-2'],
    ['1.0-1-1', '1.0-2-1'],
    ['1.0-1', '1.0-0-1'],
    ['1.0-1~bpo12+1', '1.0-1'],
    ['1.0-1', '1.0-1+b1'],
    ['1.99999999999999999998', '1.99999999999999999999'],
  ])('has %s before %s', (one, other) => {
    expect([Math.sign(compareVersions(one, other)), Math.sign(compareVersions(other, one))]).toEqual([-1, 1]);
  });
});
