import fc from 'fast-check';
import { isFileAddress, packagePath, parsePath } from '../../../functions/maven/paths.ts';
import { upstreamMetadata } from '../../../functions/maven/upstream.ts';
import { fileKey, packageHeadKey } from '../../../shared/table/packages/package-keys.ts';
import { codePoint } from '../../harness/bytes.ts';

/** `npm run test:names` sets it to a million. */
const runs = Number(process.env.NAME_RUNS ?? 300);
jest.setTimeout(30_000 + runs);

/** The path as the specification has it, read by one regular expression: https://maven.apache.org/repositories/layout.html. */
const layout =
  /^(?<group>[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*)\/(?<artifact>[A-Za-z0-9_.-]+)\/(?<version>[^/:"<>|?*]+)\/(?<file>[^/]+)$/;

/** Decodes each segment once; undefined if one of them could lead elsewhere. */
const decodedPath = (raw: string): string | undefined => {
  try {
    const segments = raw.split('/').map(decodeURIComponent);
    const isPlain = (segment: string): boolean =>
      !/^\.{0,2}$/.test(segment) &&
      !/[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^\s|\s$/u.test(segment) &&
      segment.isWellFormed() &&
      Buffer.byteLength(segment) <= 255;
    return segments.every(isPlain) ? segments.join('/') : undefined;
  } catch {
    return undefined;
  }
};

const word = fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/);
const odd = fc.constantFrom(
  '',
  '.',
  '..',
  '%2e',
  '%2E%2e',
  '%2f',
  '%5c',
  '%00',
  '%252f',
  'a.b',
  'a%2eb',
  'a b',
  'ä',
  '%C3%A4',
  'a:b',
  'a#b',
  'a%23b',
  '+',
  '%',
  'maven-metadata.xml',
  '1-SNAPSHOT',
  '\u2028',
  'x'.repeat(256),
);
const segment = fc.oneof(
  { weight: 6, arbitrary: word },
  { weight: 2, arbitrary: fc.stringMatching(/^[A-Za-z0-9._-]{1,8}$/) },
  { weight: 1, arbitrary: odd },
);
const ending = fc.constantFrom(
  '',
  '',
  '',
  '.sha1',
  '.md5',
  '.sha256',
  '.sha512',
  '.asc',
  '.asc.sha1',
  '.sha1.md5',
  '.SHA1',
);
const tails = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.array(segment, { minLength: 1, maxLength: 8 }), ending)
      .map(([parts, end]) => parts.join('/') + end),
  },
  { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 40 }) },
);

/** The same path in another spelling: some characters encoded that need not be. */
const respelled = (raw: string, seed: number): string =>
  raw.replaceAll(/%[0-9a-f]{2}|[A-Za-z0-9._-]/gi, (match, offset: number) => {
    if (match.startsWith('%')) return seed % 2 ? match.toLowerCase() : match.toUpperCase();
    return (offset + seed) % 3 ? match : `%${match.charCodeAt(0).toString(16)}`;
  });

describe('a path of a Maven repository', () => {
  it('is read as the layout says', () => {
    fc.assert(
      fc.property(tails, (raw) => {
        const parsed = parsePath(raw);
        const decoded = decodedPath(raw);
        const bare = decoded?.replace(/\.(?:md5|sha1|sha256|sha512)$/, '');
        const isMetadata = bare?.endsWith('/maven-metadata.xml') ?? false;
        const expected =
          bare === undefined || isMetadata || /(?:^|\/)\.{0,2}$|\.(?:md5|sha1|sha256|sha512)$/.test(bare)
            ? undefined
            : layout.exec(bare)?.groups;
        if (parsed?.kind !== 'file') {
          expect(expected).toBeUndefined();
          return;
        }
        const { group = '', artifact, version, file } = expected ?? {};
        expect(parsed).toMatchObject({ name: `${group.replaceAll('/', '.')}:${artifact}`, version, file });
        expect(isFileAddress(parsed)).toBe(true);
      }),
      { numRuns: runs },
    );
  });

  it('names one package, version and file in all of its spellings, and another path names another', () => {
    fc.assert(
      fc.property(tails, tails, fc.nat(5), (raw, other, seed) => {
        const parsed = parsePath(raw);
        expect(parsePath(respelled(raw, seed))).toEqual(parsed);
        const [one, two] = [parsed, parsePath(other)];
        if (one?.kind !== 'file' || two?.kind !== 'file') return;
        const keyOf = ({ name, version, file }: typeof one): string =>
          JSON.stringify([fileKey({ contentId: 'content', name }, version, file), one.checksum === two.checksum]);
        if (one.checksum === two.checksum)
          expect(keyOf(one) === keyOf(two)).toBe(decodedPath(raw) === decodedPath(other));
      }),
      { numRuns: runs },
    );
  });

  it('never leaves its repository, here or at an upstream, nor what a key can hold', () => {
    fc.assert(
      fc.property(tails, (raw) => {
        const parsed = parsePath(raw);
        if (!parsed || parsed.kind === 'metadata') return;
        const { name, version } = parsed;
        const ref = { contentId: 'content', name };
        expect(packageHeadKey(ref).pk).toBe(`PACKAGE#content#${name}`);
        if (parsed.kind === 'file')
          expect(Buffer.byteLength(fileKey(ref, version, parsed.file).sk)).toBeLessThanOrEqual(1024);
        const { url } = upstreamMetadata({ remoteRepositoryUrl: 'https://upstream.test/maven2/?key=1' }, name, version);
        const { pathname, search, host } = new URL(url);
        expect([host, search]).toEqual(['upstream.test', '?key=1']);
        expect(decodeURIComponent(pathname)).toBe(`/maven2/${packagePath(name)}/${version}/maven-metadata.xml`);
      }),
      { numRuns: runs },
    );
  });

  it.each([
    ['org/acme/app/maven-metadata.xml', { kind: 'metadata', name: 'org.acme:app', group: 'org.acme.app' }],
    [
      'org/acme/a.b/maven-metadata.xml.sha1',
      { kind: 'metadata', name: 'org.acme:a.b', group: undefined, checksum: 'sha1' },
    ],
    ['org/maven-metadata.xml', { kind: 'metadata', name: undefined, group: 'org' }],
    [
      'org/acme/app/1-SNAPSHOT/maven-metadata.xml',
      { kind: 'snapshot-metadata', name: 'org.acme:app', version: '1-SNAPSHOT' },
    ],
  ])('%s means metadata', (raw, expected) => {
    expect(parsePath(raw)).toEqual({ checksum: undefined, ...expected });
  });

  it.each([
    'maven-metadata.xml',
    'app/1-SNAPSHOT/maven-metadata.xml',
    'a.b/maven-metadata.xml',
    'archetype-catalog.xml',
    '.meta/prefixes.txt',
    'org/acme/app/1.0/a%2Fapp-1.0.jar',
    'org/acme/app/1%2F0/app-1.0.jar',
    'org/acme%2Fapp/app/1.0/app-1.0.jar',
  ])('%s means nothing', (raw) => {
    expect(parsePath(raw)).toBeUndefined();
  });
});
