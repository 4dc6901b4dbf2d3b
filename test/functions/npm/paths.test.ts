import fc from 'fast-check';
import { isPackageName } from '../../../functions/npm/names.ts';
import {
  hasTarballPath,
  parsePath,
  provenanceFile,
  tarballFile,
  tarballPath,
  versionOfFile,
} from '../../../functions/npm/paths.ts';
import { codePoint } from '../../harness/bytes.ts';

const word = fc.stringMatching(/^[A-Za-z0-9][\w.~!*'()-]{0,20}$/);
const names = fc
  .oneof(
    word,
    fc.tuple(word, word).map(([scope, unscoped]) => `@${scope}/${unscoped}`),
  )
  .filter(isPackageName);
const versions = fc.oneof(
  fc.stringMatching(/^\d\.\d{1,3}\.\d{1,3}(-[a-z]{1,5}\.\d)?(\+[a-z]{1,5})?$/),
  // What an upstream calls a version need not be one.
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => hasTarballPath('a', text)),
);

const hex = (character: string, isUpper: boolean): string => {
  const code = character.charCodeAt(0).toString(16).padStart(2, '0');
  return `%${isUpper ? code.toUpperCase() : code}`;
};

/** A way to write a text in a path: some characters of it as they are, some percent-encoded. */
const spellingOf = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom('plain', 'lower', 'upper'), { minLength: text.length, maxLength: text.length })
    .map((ways) =>
      Array.from(text, (character, at) =>
        ways[at] === 'plain' ? character : hex(character, ways[at] === 'upper'),
      ).join(''),
    );

const spelledNames = names.chain((name) => fc.tuple(fc.constant(name), spellingOf(name)));

describe('a path', () => {
  it.each([
    ['ms', { kind: 'packument', name: 'ms' }],
    ['JSONStream', { kind: 'packument', name: 'JSONStream' }],
    ['@acme/web', { kind: 'packument', name: '@acme/web' }],
    ['@acme%2fweb', { kind: 'packument', name: '@acme/web' }],
    ['@acme%2Fweb', { kind: 'packument', name: '@acme/web' }],
    ['%40acme%2Fweb', { kind: 'packument', name: '@acme/web' }],
    ['ms/2.1.3', { kind: 'version', name: 'ms', versionOrTag: '2.1.3' }],
    ['ms/latest', { kind: 'version', name: 'ms', versionOrTag: 'latest' }],
    ['@acme/web/1.0.0', { kind: 'version', name: '@acme/web', versionOrTag: '1.0.0' }],
    ['@acme%2fweb/1.0.0%2Bb', { kind: 'version', name: '@acme/web', versionOrTag: '1.0.0+b' }],
    ['ms/-/ms-2.1.3.tgz', { kind: 'file', name: 'ms', version: '2.1.3', file: 'ms-2.1.3.tgz' }],
    [
      '@acme/web/-/web-1.0.0-rc.1.tgz',
      { kind: 'file', name: '@acme/web', version: '1.0.0-rc.1', file: 'web-1.0.0-rc.1.tgz' },
    ],
    ['@acme%2fweb/-/web-1.0.0.tgz', { kind: 'file', name: '@acme/web', version: '1.0.0', file: 'web-1.0.0.tgz' }],
    ['@acme/web/-/@acme/web-1.0.0.tgz', { kind: 'file', name: '@acme/web', version: '1.0.0', file: 'web-1.0.0.tgz' }],
    ['@acme/-x/-/-x-1.0.0.tgz', { kind: 'file', name: '@acme/-x', version: '1.0.0', file: '-x-1.0.0.tgz' }],
    ['ms/-/ms-2.1.3.sigstore', { kind: 'file', name: 'ms', version: '2.1.3', file: 'ms-2.1.3.sigstore' }],
    ['ms/-rev/7-abc', { kind: 'packument-revision', name: 'ms', revision: '7-abc' }],
    ['@acme%2fweb/-rev/7', { kind: 'packument-revision', name: '@acme/web', revision: '7' }],
    [
      'ms/-/ms-2.1.3.tgz/-rev/7',
      { kind: 'file-revision', name: 'ms', version: '2.1.3', file: 'ms-2.1.3.tgz', revision: '7' },
    ],
    ['-/package/ms/dist-tags', { kind: 'dist-tags', name: 'ms' }],
    ['-/package/@acme%2fweb/dist-tags', { kind: 'dist-tags', name: '@acme/web' }],
    ['-/package/@acme/web/dist-tags/next', { kind: 'dist-tag', name: '@acme/web', tag: 'next' }],
    ['-/package/ms/dist-tags/a%40b', { kind: 'dist-tag', name: 'ms', tag: 'a@b' }],
    ['-/whoami', { kind: 'whoami' }],
    ['-/ping', { kind: 'ping' }],
    ['-/v1/search', { kind: 'search' }],
    ['-/user/org.couchdb.user:robin', { kind: 'user', username: 'robin' }],
    ['-/user/org.couchdb.user:robin%40acme.test', { kind: 'user', username: 'robin@acme.test' }],
    ['-/user/org.couchdb.user:robin/-rev/1', { kind: 'user', username: 'robin', revision: '1' }],
    ['-/npm/v1/keys', { kind: 'keys' }],
    ['-/npm/v1/attestations/axios@1.0.0', { kind: 'attestations', name: 'axios', version: '1.0.0' }],
    ['-/npm/v1/attestations/@acme%2ftool@1.0.0', { kind: 'attestations', name: '@acme/tool', version: '1.0.0' }],
    ['-/npm/v1/attestations/axios', { kind: 'unknown' }],
    ['-/npm/v1/attestations/@acme', { kind: 'unknown' }],
    ['-/npm/v1/security/advisories/bulk', { kind: 'audit' }],
    ['-/npm/v1/security/audits/quick', { kind: 'audit' }],
  ])('%s is understood', (tail, path) => {
    expect(parsePath(tail)).toEqual(path);
  });

  it.each([
    '',
    '/',
    'ms/',
    '/ms',
    'ms//2.1.3',
    'ms/-',
    'ms/-/',
    'ms/-rev',
    'ms/-rev/',
    'ms/-/other-2.1.3.tgz',
    'ms/-/ms-.tgz',
    'ms/-/ms-2.1.3.zip',
    'ms/-/ms-2.1.3.tgz/-rev',
    'ms/-/ms-2.1.3.tgz/x/7',
    'ms/-/@acme/ms-2.1.3.tgz',
    '@acme/web/-/@other/web-1.0.0.tgz',
    'ms/2.1.3/x',
    'a%2fb',
    'ms%2f2.1.3',
    '@acme',
    '@acme%2fweb%2fx',
    '@acme%252fweb',
    '@acme/..',
    '%2e%2e/ms',
    'ms/%2e%2e',
    'ms/%2E',
    '..',
    'ms/..%2f..%2fx',
    'ms/%00',
    'ms/a%0ab',
    'ms/a%7Fb',
    'ms/a%C2%85b',
    'ms/a%5cb',
    'ms\\x',
    'ms/%',
    'ms/-/ms-1.0.0%23a.tgz',
    'ms/-/ms-1.0.0%25a.tgz',
    'ms/%zz',
    'ms/%ff',
    'ms/%c0%ae',
    `ms/${'a'.repeat(256)}`,
    `ms/${encodeURIComponent('é').repeat(128)}`,
    '-',
    '-/',
    '-/v1/login',
    '-/all',
    '-/package/ms',
    '-/package/ms/access',
    '-/package/ms/dist-tags/a/b',
    '-/package/-x/dist-tags',
    '-/user/robin',
    '-/user/org.couchdb.user:',
    '-/user/org.couchdb.user:robin/x',
    '-/user/org.couchdb.user:robin/-rev',
    '-/user/org.couchdb.user:robin/-rev/1/2',
    '-/npm/v1/security',
    '-/npm/v1/user',
    'node_modules',
    'favicon.ico',
    '_all_docs',
  ])('%s is unknown', (tail) => {
    expect(parsePath(tail)).toEqual({ kind: 'unknown' });
  });

  it('names the same package however its name is spelled', () => {
    fc.assert(
      fc.property(spelledNames, ([name, spelling]) => {
        expect(parsePath(spelling)).toEqual({ kind: 'packument', name });
        expect(parsePath(`${spelling}/-rev/7`)).toEqual({ kind: 'packument-revision', name, revision: '7' });
        expect(parsePath(`-/package/${spelling}/dist-tags`)).toEqual({ kind: 'dist-tags', name });
      }),
      { numRuns: 1000 },
    );
  });

  it('names no package when it is encoded twice', () => {
    fc.assert(
      fc.property(spelledNames, ([, spelling]) => {
        fc.pre(spelling.includes('%'));
        expect(parsePath(encodeURIComponent(spelling))).toEqual({ kind: 'unknown' });
      }),
    );
  });

  it('leads to texts that cannot leave their place, whatever it holds', () => {
    const fragments = fc.constantFrom(
      ...String.raw`@ - -rev / %2f %2F %5c %00 . .. %2e %252e %0d a @a package dist-tags .tgz a-1.tgz user % \ é %C3%A9 +`.split(
        ' ',
      ),
      'org.couchdb.user:',
      '\u2028',
    );
    const tails = fc.oneof(
      fc.array(fragments, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.array(fragments, { maxLength: 6 }).map((parts) => parts.join('/')),
      fc.string({ unit: codePoint }),
    );
    fc.assert(
      fc.property(tails, (tail) => {
        const { kind, ...fields } = parsePath(tail);
        const { name, ...texts }: Record<string, string> = fields;
        if (name !== undefined) expect(isPackageName(name)).toBe(true);
        for (const text of [...Object.values(texts), ...(name?.split('/') ?? [])]) {
          expect(text).not.toMatch(/[/\\\p{Cc}]/u);
          expect(['', '.', '..']).not.toContain(text);
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(255);
        }
        expect(kind).toMatch(/^[a-z-]+$/);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('the tarball of a version', () => {
  it('is where its path says', () => {
    fc.assert(
      fc.property(names, versions, (name, version) => {
        const file = tarballFile(name, version);
        // As a client reads it: a raw `?` or `#` would end it.
        const { pathname } = new URL(tarballPath(name, version), 'http://stockroom.test/');
        expect(parsePath(pathname.slice(1))).toEqual({ kind: 'file', name, version, file });
        expect(versionOfFile(name, file)).toBe(version);
        expect(versionOfFile(name, provenanceFile(name, version))).toBe(version);
      }),
    );
  });

  it('is named after the package without its scope', () => {
    expect(tarballPath('@acme/web', '1.0.0')).toBe('@acme/web/-/web-1.0.0.tgz');
  });

  it('has no path when its name is too long, holds a slash, or is no text', () => {
    expect(hasTarballPath('web', '1.0.0')).toBe(true);
    expect(hasTarballPath('w'.repeat(214), `1.0.0-${'a'.repeat(40)}`)).toBe(false);
    for (const version of ['1/0', '1.0.0#a', '1.0.0%a']) expect(hasTarballPath('web', version)).toBe(false);
    expect(hasTarballPath('web', '1.0.0-\ud800')).toBe(false);
  });
});
