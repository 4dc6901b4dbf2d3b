import { compareVersions, order } from '../../../functions/conan/versions.ts';

/** Versions in the order that conan.internal.model.version.Version of Conan 2.34 gives them. */
const ordered = [
  '0.9',
  '1.0-alpha',
  '1.0-alpha.1',
  '1.0-alpha.2',
  '1.0-beta',
  '1.0-rc.2',
  '1.0-rc.10',
  '1',
  '1.0+1',
  '1.0+build',
  '1.0.1-pre',
  '1.0.1',
  '1.2',
  '1.10',
  '1.10.a',
  '2.0',
  '10.0',
  '1_1.0',
  'system',
];

describe('The order of versions', () => {
  it.each(ordered.map((version, at) => [version, ordered.slice(at + 1)] as const))(
    '%s comes before all behind it',
    (version, later) => {
      for (const each of later)
        expect([each, Math.sign(compareVersions(version, each)), Math.sign(compareVersions(each, version))]).toEqual([
          each,
          -1,
          1,
        ]);
    },
  );

  it.each([
    ['1', '1.0.0'],
    ['1.01', '1.1'],
    ['1.0-0', '1.0-0.0'],
    ['1_0', '10'],
    ['1.0+0', '1.0+0.0'],
  ])('%s is %s', (one, other) => {
    expect([compareVersions(one, other), compareVersions(other, one)]).toEqual([0, 0]);
  });

  it('of advisories is that of recipes, with any user, channel and revision', () => {
    for (const each of ['1.1.0', '1.1.0#a', '1.1.0@acme/stable', '1.1.0@acme/stable#a:b#c', '1.1.0@_/_'])
      expect(order('1.1', each)).toBe(0);
    expect(order('1.2', '1.1@acme/stable#a')).toBe(1);
  });
});
