import fc from 'fast-check';
import { compareNormalized, isDevelopment, normalize, versionOf } from '../../../functions/composer/versions.ts';
import { anything, versions } from './specification.ts';

const numRuns = Number(process.env.NAME_RUNS ?? 300);

describe('a version of Composer', () => {
  it.each([
    ['v1.0', '1.0.0.0', '1.0.0'],
    ['1.0-beta2', '1.0.0.0-beta2', '1.0.0-beta2'],
    ['1.0.0-p1', '1.0.0.0-patch1', '1.0.0-patch1'],
    ['1.2.3.4', '1.2.3.4', '1.2.3.4'],
    ['1.x-dev', '1.9999999.9999999.9999999-dev', '1.x-dev'],
    ['2.1.x-dev', '2.1.9999999.9999999-dev', '2.1.x-dev'],
    ['dev-main', 'dev-main', 'dev-main'],
    ['DEV-Feature/x', 'dev-Feature/x', 'dev-Feature/x'],
    ['master', 'dev-master', 'dev-master'],
    ['1.0.0+build.5', '1.0.0.0', '1.0.0'],
    ['1.0.0-stable', '1.0.0.0', '1.0.0'],
    ['1.0.0RC1-dev', '1.0.0.0-RC1-dev', '1.0.0-RC1-dev'],
    ['20260101', '20260101', '20260101'],
    ['2010-01-02', '2010.01.02', '2010.01.02'],
    ['2010.01.02', '2010.01.02.0', '2010.01.02.0'],
  ])('%s is %s, and found as %s', (spelled, normal, short) => {
    expect(normalize(spelled)).toBe(normal);
    expect(versionOf(normal)).toBe(short);
  });

  it.each(['', 'foo', '1.0.0.0.0', '1.0 beta', 'foo-dev', '1.0.0-rc.', `1.${'0'.repeat(150)}`])('is not %j', (text) => {
    expect(normalize(text)).toBeUndefined();
  });

  it('is one of development if it is a branch or says so', () => {
    const all = ['dev-main', '1.x-dev', '1.0.0-RC1-dev', '1.0.0', '1.0.0-alpha', '1.0.0-patch1'];
    expect(all.filter(isDevelopment)).toEqual(['dev-main', '1.x-dev', '1.0.0-RC1-dev']);
  });

  it('has a place in one order', () => {
    const sorted = [
      'dev-a',
      'dev-main',
      '1.0.0.0-dev',
      '1.0.0.0-alpha1',
      '1.0.0.0-beta2',
      '1.0.0.0-beta10',
      '1.0.0.0-RC1',
      '1.0.0.0',
      '1.0.0.0-patch1',
      '1.0.0.1',
      '1.2.0.0',
      '1.10.0.0',
      '1.9999999.9999999.9999999-dev',
      '20260101',
    ];
    expect(sorted.toReversed().toSorted(compareNormalized)).toEqual(sorted);
  });

  it('keeps its normal form, and orders with others as they with it', () => {
    const normal = versions.map((text) => normalize(text)).filter((text) => text !== undefined);
    fc.assert(
      fc.property(normal, normal, anything, (one, other, text) => {
        expect(compareNormalized(one, one)).toBe(0);
        expect(Math.sign(compareNormalized(one, other)) + Math.sign(compareNormalized(other, one))).toBe(0);
        const read = normalize(text);
        if (read !== undefined && !/^\d{4}/.test(read)) expect(normalize(versionOf(read))).toBe(read);
      }),
      { numRuns },
    );
  });
});
