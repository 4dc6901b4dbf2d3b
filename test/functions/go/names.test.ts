import fc from 'fast-check';
import { escapedText, unescapedText } from '../../../functions/go/escapes.ts';
import { folded, isFilePath } from '../../../functions/go/file-names.ts';
import { fitsPathMajor, modulePathProblem, pathMajorOf } from '../../../functions/go/module-paths.ts';
import { parsePath } from '../../../functions/go/paths.ts';
import { compareVersions, isCanonical, isPseudoVersion, latestOf } from '../../../functions/go/versions.ts';
import { filePaths, modulePaths, versions } from './generated.ts';
import * as specification from './specification.ts';

/** `npm run test:names` asks for a million. */
const numRuns = Number(process.env.NAME_RUNS ?? 300);
jest.setTimeout(30_000 + 2 * numRuns);

describe('The path of a request', () => {
  it.each([
    ['corp.example/x/@v/list', { kind: 'list', name: 'corp.example/x' }],
    ['corp.example/x/%40v/list', { kind: 'list', name: 'corp.example/x' }],
    ['github.com/!burnt!sushi/toml/@latest', { kind: 'latest', name: 'github.com/BurntSushi/toml' }],
    ['github.com/%21burnt%21sushi/toml/@latest', { kind: 'latest', name: 'github.com/BurntSushi/toml' }],
    ['corp.example/x/@v/v1.0.0.zip', { kind: 'file', name: 'corp.example/x', version: 'v1.0.0', fileKind: 'zip' }],
    [
      'corp.example/x/@v/v1.0.0-!r!c.info',
      { kind: 'file', name: 'corp.example/x', version: 'v1.0.0-RC', fileKind: 'info' },
    ],
    [
      'corp.example/x/@v/v2.0.0+incompatible.mod',
      { kind: 'file', name: 'corp.example/x', version: 'v2.0.0+incompatible', fileKind: 'mod' },
    ],
    ['corp.example/x/@v/master.info', { kind: 'query', name: 'corp.example/x', query: 'master' }],
    ['corp.example/x/@v/v2.0.0.info', { kind: 'query', name: 'corp.example/x', query: 'v2.0.0' }],
    ['sumdb/sum.golang.org/supported', { kind: 'checksums', database: 'sum.golang.org', path: 'supported' }],
    ['sumdb/corp.example/sums/latest', { kind: 'checksums', database: 'corp.example/sums', path: 'latest' }],
    [
      'sumdb/s.example/tile/8/0/x001/234.p/5',
      { kind: 'checksums', database: 's.example', path: 'tile/8/0/x001/234.p/5' },
    ],
    ['sumdb/s.example/tile/8/data/000', { kind: 'checksums', database: 's.example', path: 'tile/8/data/000' }],
    [
      'sumdb/s.example/lookup/corp.example/!x@v1.0.0',
      { kind: 'checksums', database: 's.example', path: 'lookup/corp.example/!x@v1.0.0', name: 'corp.example/X' },
    ],
  ])('%s is understood', (path, expected) => {
    expect(parsePath(path)).toEqual(expected);
  });

  it.each([
    'corp.example/x',
    '@v/list',
    'corp.example/X/@v/list',
    'corp.example/!/@v/list',
    'corp.example/!X/@v/list',
    'corp.example/!1/@v/list',
    'corp.example%2fx/@v/list',
    'corp.example/../x/@v/list',
    'corp.example//x/@v/list',
    'corp.example/x/@v/v1.0.0-RC.info',
    'corp.example/x/@v/.info',
    'corp.example/x/@v/v1.0.zip',
    'corp.example/x/@v/v2.0.0.zip',
    'corp.example/x/@v/a%2fb.info',
    'corp.example/x/@v/list/',
    'example/x/@v/list',
    'Corp.example/x/@v/list',
    'corp.example/x/@latest/y',
    'sumdb/supported',
    'sumdb/../supported',
    'sumdb/s.example/tile/../latest',
    'sumdb/s.example/lookup/x',
    'sumdb/s.example/lookup/nodot@v1.0.0',
    `sumdb/s.example/tile/8/${'0/'.repeat(450)}0`,
    'corp.example/%ff/@v/list',
  ])('%s is none', (path) => {
    expect(parsePath(path).kind).toBe('unknown');
  });
});

const canonicals = versions.filter((version) => specification.isCanonical(version));

describe('Names and versions, as an independent reading of the specification has them:', () => {
  it('module paths, and their major versions', () => {
    fc.assert(
      fc.property(modulePaths, versions, (path, version) => {
        expect(modulePathProblem(path) === undefined).toBe(specification.isModulePath(path));
        if (modulePathProblem(path) !== undefined || !isCanonical(version)) return;
        expect(pathMajorOf(path)).toBe(specification.pathMajor(path));
        expect(fitsPathMajor(path, version)).toBe(specification.fitsPathMajor(path, version));
      }),
      { numRuns },
    );
  });

  it('canonical versions and pseudo-versions', () => {
    fc.assert(
      fc.property(versions, (version) => {
        expect(isCanonical(version)).toBe(specification.isCanonical(version));
        if (isCanonical(version)) expect(isPseudoVersion(version)).toBe(specification.isPseudoVersion(version));
      }),
      { numRuns },
    );
  });

  it('the order of versions', () => {
    fc.assert(
      fc.property(canonicals, canonicals, (one, other) => {
        expect(Math.sign(compareVersions(one, other))).toBe(specification.compare(one, other));
        expect(Math.sign(compareVersions(other, one))).toBe(0 - specification.compare(one, other) || 0);
      }),
      { numRuns },
    );
  });

  it('file names in modules', () => {
    fc.assert(
      fc.property(filePaths, (path) => {
        expect(isFilePath(path)).toBe(specification.isFilePath(path));
      }),
      { numRuns },
    );
  });

  it('what is escaped is the same again when it is read, and no two texts are escaped to the same', () => {
    const texts = fc.stringMatching(/^[ -~]{0,20}$/);
    fc.assert(
      fc.property(texts, (text) => {
        if (!text.includes('!')) expect(unescapedText(escapedText(text))).toBe(text);
        const read = unescapedText(text);
        if (read !== undefined) expect(escapedText(read)).toBe(text);
      }),
      { numRuns },
    );
  });

  it('any path is understood or refused, and whatever is understood stays in its repository', () => {
    const tails = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc
        .tuple(modulePaths, fc.constantFrom('@latest', '@v/list', '@v/v1.0.0.zip', '@v/x.info', '@v/'))
        .map((parts) => parts.join('/')),
    );
    fc.assert(
      fc.property(tails, (tail) => {
        const path = parsePath(tail);
        if (path.kind === 'unknown' || path.kind === 'checksums') return;
        expect(specification.isModulePath(path.name)).toBe(true);
        expect(escapedText(path.name).length).toBeLessThanOrEqual(3 * 900);
      }),
      { numRuns },
    );
  });
});

describe('Paths that differ in case alone', () => {
  it.each([
    ['a/B', 'A/b', true],
    ['straße', 'STRASSE', false],
    ['Straße', 'straẞe', true],
    ['\u212a', 'k', true],
    ['ſ', 'S', true],
    ['Σ', 'ς', true],
    ['ı', 'i', false],
    ['İ', 'i', false],
    ['Ǆ', 'ǆ', true],
    ['ᾈ', 'ᾀ', true],
    ['é', 'É', true],
    ['e', 'é', false],
  ])('%s and %s: %s', (one, other, isSame) => {
    expect(folded(one) === folded(other)).toBe(isSame);
  });
});

describe('The latest version', () => {
  it.each([
    [['v1.0.0', 'v1.2.0', 'v1.10.0', 'v2.0.0-rc.1'], 'v1.10.0'],
    [['v1.0.0-rc.1', 'v1.0.0-rc.10', 'v1.0.0-rc.9'], 'v1.0.0-rc.10'],
    [
      ['v0.0.0-20260102030405-bbbbbbbbbbbb', 'v0.0.0-20260102030406-aaaaaaaaaaaa'],
      'v0.0.0-20260102030406-aaaaaaaaaaaa',
    ],
    [
      ['v1.2.4-0.20260101000000-aaaaaaaaaaaa', 'v0.0.0-20270102030406-aaaaaaaaaaaa'],
      'v0.0.0-20270102030406-aaaaaaaaaaaa',
    ],
    [['v1.2.4-0.20260101000000-aaaaaaaaaaaa', 'v1.0.0-rc.1'], 'v1.0.0-rc.1'],
    [['v1.0.0', 'v2.0.0+incompatible'], 'v2.0.0+incompatible'],
    [[], undefined],
  ])('of %j is %s', (all, latest) => {
    expect(latestOf(all)).toBe(latest);
  });
});
