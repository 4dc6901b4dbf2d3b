import { fileNameOf, isDebianName, isDebianVersion, isPlace, readFileName } from '../../../functions/debian/names.ts';
import { parsePath } from '../../../functions/debian/paths.ts';

describe('The grammars of packages', () => {
  it.each(['0ad', 'libc++1', 'g++-12', 'a.b'])('has %s as a name', (name) => {
    expect(isDebianName(name)).toBe(true);
  });

  it.each(['a', 'A1', '+ab', 'a_b', 'a/b', 'ab '])('has %s as no name', (name) => {
    expect(isDebianName(name)).toBe(false);
  });

  it.each(['1', '1.0-1', '12:1.0~rc1+dfsg-1.1~bpo12+1', '1:1:2-3', '1-2-3'])('has %s as a version', (version) => {
    expect(isDebianVersion(version)).toBe(true);
  });

  it.each(['', 'a1', '1:', '1_2', '1.0-', '1.0-1:2', 'a:1', '12345678901:1', `1${'0'.repeat(150)}`])(
    'has %s as no version',
    (version) => {
      expect(isDebianVersion(version)).toBe(false);
    },
  );

  it('read the name of a file as it was made, without the epoch', () => {
    const build = { name: 'acme-app', version: '1:2.0~rc1-1', architecture: 'kfreebsd-amd64' };
    expect(readFileName(fileNameOf(build))).toEqual({ ...build, version: '2.0~rc1-1' });
  });

  it.each(['acme_1.0_all.udeb', 'acme_1.0.deb', 'acme_1.0_all_more.deb', 'a_1_all.deb', 'acme_x_all.deb'])(
    'has %s as the name of no file',
    (file) => {
      expect(readFileName(file)).toBeUndefined();
    },
  );

  it.each([
    'dists/stable/main/by-hash/SHA256/0',
    `dists/stable/main/by-hash/MD5Sum/${'0'.repeat(32)}`,
    `dists/stable/main/by-hash/SHA1/${'0'.repeat(40)}`,
    `dists/stable/main/by-hash/SHA512/${'0'.repeat(64)}`,
    `pool/by-hash/main/SHA256/${'0'.repeat(64)}`,
  ])('have %s as no path of a document', (path) => {
    expect(parsePath(path)).toEqual({ kind: 'unknown' });
  });

  it.each([
    ['./InRelease', 'InRelease'],
    ['./key.asc', 'key.asc'],
    ['dists/stable/./main/binary-all/Packages.gz', 'dists/stable/main/binary-all/Packages.gz'],
    [`./by-hash/SHA256/${'0'.repeat(64)}`, `by-hash/SHA256/${'0'.repeat(64)}`],
    ['./pool/./main/a/acme_1.0_all.deb', 'pool/main/a/acme_1.0_all.deb'],
  ])('have %s as the same path as %s', (dotted, plain) => {
    expect(parsePath(plain).kind).not.toBe('unknown');
    expect(parsePath(dotted)).toEqual(parsePath(plain));
  });

  it.each(['../acme_1.0_all.deb', 'pool/../acme_1.0_all.deb', 'pool/%2E/acme_1.0_all.deb', '.', './', './/InRelease'])(
    'have %s as no path',
    (path) => {
      expect(parsePath(path)).toEqual({ kind: 'unknown' });
    },
  );

  it('keep distributions and components in one segment of a path', () => {
    const places = ['bookworm', 'bookworm-security', '12.5', 'a/b', '.', '', 'a;b', 'a'.repeat(51)];
    expect(places.map((each) => isPlace({ distribution: each, component: 'main' }))).toEqual(
      places.map((each) => isPlace({ distribution: 'stable', component: each })),
    );
    expect(places.filter((each) => isPlace({ distribution: each, component: 'main' }))).toEqual(places.slice(0, 3));
  });
});
