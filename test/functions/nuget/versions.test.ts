import { normalRange, readRange } from '../../../shared/packages/nupkg/version-ranges.ts';
import {
  compareVersions,
  isSemVer2,
  type NupkgVersion,
  normalVersion,
  parseVersion,
} from '../../../shared/packages/nupkg/versions.ts';

const parsed = (text: string): NupkgVersion => {
  const version = parseVersion(text);
  if (!version) throw new Error(`${text} is no version.`);
  return version;
};

/** From the lowest to the highest. */
const ordered = [
  '0.0.0.1',
  '1.0.0--1',
  '1.0.0-0',
  '1.0.0-2',
  '1.0.0-10',
  '1.0.0-alpha',
  '1.0.0-ALPHA.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0',
  '1.0.0.1-a',
  '1.0.0.1',
  '1.0.2',
  '1.0.10',
  '2147483647.0.0',
];

describe('a version of a package', () => {
  it('has the order of SemVer with a fourth number, and case makes no difference', () => {
    for (const [at, version] of ordered.entries())
      for (const [other, opposite] of ordered.entries())
        expect(Math.sign(compareVersions(parsed(version), parsed(opposite)))).toBe(Math.sign(at - other));
    expect(compareVersions(parsed('1.0-A+1'), parsed('1.0.0-a+2'))).toBe(0);
  });

  it.each([
    ['1', '1.0.0'],
    ['1.0', '1.0.0'],
    ['01.002.0003.0', '1.2.3'],
    ['1.2.3.04', '1.2.3.4'],
    ['1.0.0-RC.0a+01', '1.0.0-rc.0a'],
  ])('%s has the normal form %s', (text, normal) => expect(normalVersion(text)).toBe(normal));

  it.each([
    '',
    'v1.0',
    '1.',
    '.1',
    '1.0.0.0.0',
    '1.0-',
    '1.0-a..b',
    '1.0-a.01',
    '1.0+',
    '1.0-ä',
    ' 1.0',
    '2147483648',
    `1.0-${'a'.repeat(97)}`,
  ])('%j is none', (text) => expect(parseVersion(text)).toBeUndefined());

  it.each([
    ['1.0.0-a', false],
    ['1.0.0-a.1', true],
    ['1.0.0+a', true],
  ])('%s is of SemVer 2: %s', (text, expected) => expect(isSemVer2(parsed(text))).toBe(expected));
});

describe('a range of versions', () => {
  it.each([
    ['1.0', '[1.0.0, )'],
    ['', '(, )'],
    ['[1.0]', '[1.0.0, 1.0.0]'],
    ['(,2.0.0.0)', '(, 2.0.0)'],
    ['[1,2)', '[1.0.0, 2.0.0)'],
    ['[1.*, )', '[1.*, )'],
    ['1.*', '1.*'],
    ['*', '*'],
    ['1.0.0-beta.*', '1.0.0-beta.*'],
    ['1.*-*', '1.*-*'],
    ['[1.0-*, 2.0)', '[1.0-*, 2.0.0)'],
    [' [ 1.0 , 2.0 ] ', '[1.0.0, 2.0.0]'],
    ['[1.0,]', '[1.0.0, ]'],
    ['(1.0,1.0)', '(1.0.0, 1.0.0)'],
    ['[, ]', '(, )'],
  ])('%j is %s', (text, expected) => {
    expect([readRange(text), normalRange(text)]).toEqual([expected, expected]);
    expect(normalRange(expected)).toBe(expected);
  });

  it.each([
    'bad',
    '(,)',
    '[,]',
    '[1,2,3]',
    '(1.0)',
    '[1.0)',
    '[1.0',
    '[]',
    '()',
    '[1.*]',
    '[1.0,2.*]',
    '[2.0,1.0]',
    '[1.0,1.0)',
    '(1.0,1.0]',
    '[bad,2.0]',
    '[1.0,bad]',
    '>=1.0',
    '^1.0',
    '1.x',
    '1.*.*',
    '1.0 - 2.0',
    '$version$',
    '1.0,',
  ])('%j is none, and any version where it was published before', (text) => {
    expect([readRange(text), normalRange(text)]).toEqual([undefined, '(, )']);
  });
});
