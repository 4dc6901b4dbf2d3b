import { createHash } from 'node:crypto';
import { abbreviated, withDeprecation, withFacts, withHashes } from '../../../functions/npm/manifest.ts';

const manifest = { name: 'web', version: '1.0.0' };

describe('the abbreviated form of a manifest', () => {
  it('holds what an installation needs, and nothing else', () => {
    const kept = {
      ...manifest,
      deprecated: 'Use 2.0.0',
      dependencies: { a: '1' },
      optionalDependencies: { b: '1' },
      devDependencies: { c: '1' },
      bundleDependencies: ['a'],
      bundledDependencies: ['a'],
      peerDependencies: { d: '1' },
      peerDependenciesMeta: { d: { optional: true } },
      acceptDependencies: { a: '2' },
      bin: { web: 'cli.js' },
      directories: {},
      dist: { shasum: '0', signatures: [{ keyid: 'a', sig: 'b' }], attestations: { url: 'https://a.test' } },
      engines: { node: '>=18' },
      cpu: ['arm64'],
      os: ['linux'],
      libc: ['musl'],
      funding: 'https://a.test',
      _hasShrinkwrap: false,
      hasInstallScript: false,
    };
    const dropped = { description: 'a', readme: 'b', scripts: { install: 'c' }, _id: 'web@1.0.0', toString: 'd' };
    expect(abbreviated({ ...kept, ...dropped })).toEqual(kept);
  });

  it.each(['preinstall', 'install', 'postinstall'])('says that there is a script %s', (script) => {
    expect(abbreviated({ ...manifest, scripts: { [script]: 'node x' } })).toEqual({
      ...manifest,
      hasInstallScript: true,
    });
  });

  it('says nothing of other scripts', () => {
    expect(abbreviated({ ...manifest, scripts: { test: 'jest', prepare: 'tsc' } })).toEqual(manifest);
    expect(abbreviated({ ...manifest, scripts: 'install' })).toEqual(manifest);
    expect(abbreviated({ ...manifest, scripts: null })).toEqual(manifest);
  });
});

describe('a manifest', () => {
  const hashes = {
    sha1: createHash('sha1').update('a').digest('hex'),
    sha512: createHash('sha512').update('a').digest('hex'),
  };
  const integrity = `sha512-${createHash('sha512').update('a').digest('base64')}`;

  it('gets the hashes of its tarball', () => {
    expect(withHashes(manifest, hashes)).toEqual({ ...manifest, dist: { integrity, shasum: hashes.sha1 } });
    for (const weak of [`sha1-${'A'.repeat(27)}=`, `sha256-${'A'.repeat(43)}=`, `sha384-${'A'.repeat(64)}`])
      expect(withHashes({ ...manifest, dist: { integrity: weak, fileCount: 5 } }, hashes).dist).toEqual({
        integrity,
        shasum: hashes.sha1,
        fileCount: 5,
      });
  });

  it('keeps the integrity text that was sent when it has SHA-512', () => {
    const sent = `${integrity}?a sha384-${'A'.repeat(64)}`;
    expect(withHashes({ ...manifest, dist: { integrity: sent } }, hashes).dist).toMatchObject({ integrity: sent });
  });

  it('gets a message of deprecation, and loses it to an empty one', () => {
    const deprecated = withDeprecation({ ...manifest, main: 'a' }, 'Use 2.0.0');
    expect(deprecated).toEqual({ ...manifest, main: 'a', deprecated: 'Use 2.0.0' });
    expect(withDeprecation(deprecated, '')).toEqual({ ...manifest, main: 'a' });
  });

  it('gets what is in its tarball', () => {
    const facts = { fileCount: 2, unpackedSize: 30, hasShrinkwrap: true };
    expect(withFacts({ ...manifest, dist: { shasum: 'a' } }, facts)).toEqual({
      ...manifest,
      _hasShrinkwrap: true,
      dist: { shasum: 'a', fileCount: 2, unpackedSize: 30 },
    });
  });
});
