import fc from 'fast-check';
import { parseFileName } from '../../../functions/pypi/filenames.ts';
import { isProjectName, normalName, projectIn } from '../../../functions/pypi/names.ts';
import { otherSpellingsOf } from '../../../functions/pypi/other-spellings.ts';
import { filePathOf, parsePath } from '../../../functions/pypi/paths.ts';
import { order } from '../../../functions/pypi/version-order.ts';
import { normalVersion } from '../../../functions/pypi/versions.ts';
import { anything, isName, names, versions } from './specification.ts';

/** `npm run test:names` asks for more. */
const numRuns = Number(process.env.NAME_RUNS ?? 300);
const patience = 60_000 + numRuns;

describe('A name of a project', () => {
  it(
    'has one normal form for all its spellings',
    () => {
      fc.assert(
        fc.property(names, ({ one, other, normal }) => {
          expect([projectIn(one), projectIn(other), projectIn(normal)]).toEqual([normal, normal, normal]);
        }),
        { numRuns },
      );
    },
    patience,
  );

  it(
    'is what PEP 508 says, and nothing else',
    () => {
      fc.assert(
        fc.property(anything, (text) => {
          expect([text, isProjectName(text)]).toEqual([text, isName(text)]);
        }),
        { numRuns },
      );
    },
    patience,
  );

  it.each(['a'.repeat(201), '', 'a-', '_a', '\u017f', '\u212a', 'a\n'])('is not %j', (text) => {
    expect(projectIn(text)).toBeUndefined();
  });
});

describe('A version', () => {
  it(
    'has one normal form for all its spellings',
    () => {
      fc.assert(
        fc.property(versions, ({ spelled, normal }) => {
          expect([spelled, normalVersion(spelled)]).toEqual([spelled, normal]);
          expect(normalVersion(normal)).toBe(normal);
        }),
        { numRuns },
      );
    },
    patience,
  );

  it(
    'is undefined, or its own normal form, for any text',
    () => {
      fc.assert(
        fc.property(anything, (text) => {
          const normal = normalVersion(text);
          if (normal === undefined) return;
          expect(normal).toMatch(/^[a-z0-9.!+]+$/);
          expect(normalVersion(normal)).toBe(normal);
        }),
        { numRuns },
      );
    },
    patience,
  );

  it.each([
    ['1.0-1', '1.0.post1'],
    ['1.0+ABC_1', '1.0+abc.1'],
    ['1.0.preview', '1.0rc0'],
    ['99999999999999999999.007', '99999999999999999999.7'],
    ['1.0.win32', undefined],
    ['1.0 ', undefined],
    ['unknown', undefined],
    ['1.0+', undefined],
    ['१.0', undefined],
    ['1.0poſt1', undefined],
  ])('%j is %j', (spelled, normal) => {
    expect(normalVersion(spelled)).toBe(normal);
  });
});

describe('The other spellings of a version', () => {
  it.each([
    ['1', ['1.0', '1.0.0', '1.0.0.0']],
    ['1.2.0', ['1.2', '1.2.0.0']],
    ['1!1.0rc1', ['1!1rc1', '1!1.0.0rc1', '1!1.0.0.0rc1']],
    ['1.0.post1.dev2+a.0', ['1.post1.dev2+a.0', '1.0.0.post1.dev2+a.0', '1.0.0.0.post1.dev2+a.0']],
    ['0.0', ['0', '0.0.0', '0.0.0.0']],
    ['1.2.3.4.5.6', []],
    ['1.2.3.4.5.6.0', ['1.2.3.4.5.6']],
    ['10.0.1', ['10.0.1.0']],
  ])('those of %s have more zeros or fewer', (version, others) => {
    expect(otherSpellingsOf(version)).toEqual(others);
    for (const other of others) expect([other, order(version, other)]).toEqual([other, 0]);
  });
});

describe('The name of a file', () => {
  it(
    'says the version of the project, whatever the spellings',
    () => {
      const endings = fc.constantFrom('.tar.gz', '.zip', '-py3-none-any.whl', '-1-cp39.cp310-abi3-win32.whl');
      fc.assert(
        fc.property(names, versions, endings, ({ one, normal }, { spelled, normal: version }, ending) => {
          // In a wheel, a hyphen in a name or a version is written as an underscore; "1.0-1" is then another version.
          const isWheel = ending.endsWith('.whl');
          if (isWheel && spelled.includes('-')) return;
          const file = `${isWheel ? one.replaceAll('-', '_') : one}-${spelled}${ending}`;
          expect([file, parseFileName(file, normal)?.version]).toEqual([file, version]);
        }),
        { numRuns },
      );
    },
    patience,
  );

  it.each([
    ['foo-1.0.tar.gz', 'foo', '1.0'],
    ['foo-bar-1.0-1.zip', 'foo-bar', '1.0.post1'],
    ['foo-2-1.0.zip', 'foo-2', '1.0'],
    ['foo-1.0-py2.7.egg', 'foo', '1.0'],
    ['foo-1.0-py2.7-win32.egg', 'foo', '1.0'],
    ['foo-1.0.win32-py2.7.exe', 'foo', undefined],
    ...['tbz', 'txz', 'tlz', 'tar.lz', 'tar.lzma', 'TAR.GZ'].map((ending): [string, string, string] => [
      `foo-1.0.${ending}`,
      'foo',
      '1.0',
    ]),
    ['foo-1.0_1-py3-none-any.whl', 'foo', '1.0.post1'],
    ['foo-1.0+a_1-py3-none-any.whl', 'foo', '1.0+a.1'],
    ['foo-bar-1.0.tar.gz', 'foo', undefined],
    ['foo-1.0-py3-none-any.whl', 'bar', undefined],
    ['foo-1.0-none-any.whl', 'foo', undefined],
    ['foo-1.0-x-py3-none-any.whl', 'foo', undefined],
    ['foo.whl', 'foo', undefined],
  ])('%s of %s says %s', (file, project, version) => {
    expect(parseFileName(file, project)?.version).toBe(version);
  });

  it('is the same file with its tags in another order', () => {
    const identityOf = (file: string) => parseFileName(file, 'foo')?.identity;
    expect(identityOf('Foo-1.0-py2.py3-none-any.whl')).toBe(identityOf('foo-1.0-py3.py2-none-ANY.whl'));
    expect(identityOf('foo-1.0-1-py3-none-any.whl')).not.toBe(identityOf('foo-1.0-2-py3-none-any.whl'));
    expect(identityOf('foo-1.0.zip')).not.toBe(identityOf('foo-1.0.tar.gz'));
  });
});

describe('A path', () => {
  it(
    'of a file leads to it, and to nothing else',
    () => {
      fc.assert(
        fc.property(names, versions, ({ normal }, { spelled }) => {
          const file = `${normal}-${spelled}.tar.gz`;
          const path = filePathOf(normal, file);
          expect(parsePath(path)).toMatchObject({ kind: 'file', name: normal, file });
          expect(parsePath(`${path}/`).kind).toBe('unknown');
        }),
        { numRuns },
      );
    },
    patience,
  );

  it(
    'of any segments stays in its repository, and is refused otherwise',
    () => {
      const paths = fc.array(fc.oneof(anything, fc.constantFrom('simple', 'files', 'foo', '1.0', 'foo-1.0.zip')), {
        maxLength: 5,
      });
      fc.assert(
        fc.property(paths, fc.boolean(), (segments, isEncoded) => {
          const parsed = parsePath(segments.map((each) => (isEncoded ? encodeSafely(each) : each)).join('/'));
          if ('name' in parsed) expect(normalName(parsed.name)).toBe(parsed.name);
          if (parsed.kind !== 'file') return;
          for (const text of [parsed.name, parsed.version, parsed.file]) {
            expect(text).not.toMatch(/[/\\#%?\p{Cc}]/u);
            expect(['', '.', '..']).not.toContain(text);
          }
        }),
        { numRuns },
      );
    },
    patience,
  );

  it.each([
    ['simple', { kind: 'root', hasSlash: false }],
    ['simple/', { kind: 'root', hasSlash: true }],
    ['simple/Foo.Bar', { kind: 'project', name: 'foo-bar', hasSlash: false }],
    ['simple/Foo%2EBar/', { kind: 'project', name: 'foo-bar', hasSlash: true }],
    ['files/foo/1.0/foo-1.0.zip', { kind: 'file', name: 'foo', version: '1.0', file: 'foo-1.0.zip' }],
    ['files/foo/1.0/foo-1.0.zip.asc', { kind: 'file', name: 'foo', version: '1.0', file: 'foo-1.0.zip.asc' }],
    ['files/foo/unknown/foo.exe', { kind: 'file', name: 'foo', version: 'unknown', file: 'foo.exe' }],
    ['files/foo/1.0.0/foo-1.0.zip', { kind: 'unknown' }],
    ['files/foo/unknown/foo-1.0.zip', { kind: 'unknown' }],
    ['files/foo/1.0/foo-1.0.zip%2f', { kind: 'unknown' }],
    ['files/foo/unknown/%252e%252e', { kind: 'unknown' }],
    ['simple//', { kind: 'unknown' }],
    ['simple/foo%00/', { kind: 'unknown' }],
    ['simple/%ff/', { kind: 'unknown' }],
    ['', { kind: 'unknown' }],
  ])('%j is %j', (path, expected) => {
    expect(parsePath(path)).toEqual(expected);
  });
});

/** Encodes a text as a segment. A half of a pair of surrogates cannot be encoded. */
const encodeSafely = (text: string): string => encodeURIComponent(text.toWellFormed());
