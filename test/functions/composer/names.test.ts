import fc from 'fast-check';
import { isPackageName, newNameProblems, packageNameOf } from '../../../functions/composer/names.ts';
import { filePath, parsePath, publishedFile } from '../../../functions/composer/paths.ts';
import { codePoint } from '../../harness/bytes.ts';

const numRuns = Number(process.env.NAME_RUNS ?? 300);

/** The grammar of the schema of composer.json (getcomposer.org/schema.json), character by character. */
const isNew = (name: string): boolean => {
  const [vendor = '', project = '', ...others] = name.split('/');
  const isWord = (text: string): boolean => text !== '' && Array.from(text).every((each) => /^[a-z0-9]$/.test(each));
  const isPart = (text: string, separators: RegExp): boolean => text.split(separators).every(isWord);
  return others.length === 0 && isPart(vendor, /[_.-]/) && isPart(project, /[_.]|--?/) && name.length <= 200;
};

const names = fc.oneof(
  fc.stringMatching(/^[a-z0-9]{1,3}[_.-]{0,2}[a-z0-9]{0,2}\/[a-z0-9]{1,3}[_.-]{0,3}[a-z0-9]{0,2}$/),
  fc.string({ unit: fc.constantFrom(...Array.from('aB1-_./\\%@ ~ü\0')), maxLength: 8 }),
  fc.string({ unit: codePoint, maxLength: 20 }),
  fc.stringMatching(/^[a-z]{98,102}\/[a-z]{98,102}$/),
);

describe('the name of a package', () => {
  it('is new by the grammar of Composer, and each of these can be found', () => {
    fc.assert(
      fc.property(names, (name) => {
        expect([name, newNameProblems(name).length === 0]).toEqual([name, isNew(name)]);
        if (isNew(name)) expect(isPackageName(name)).toBe(true);
      }),
      { numRuns },
    );
  });

  it('is found in any case', () => {
    fc.assert(
      fc.property(names.filter(isPackageName), (name) => {
        expect(packageNameOf(name.toUpperCase())).toBe(name);
        const upper = name.toUpperCase();
        expect(parsePath(`p2/${upper}.json`)).toEqual({ kind: 'versions', name, isDevelopment: false });
        expect(parsePath(`p2/${name}~dev.json`)).toEqual({ kind: 'versions', name, isDevelopment: true });
      }),
      { numRuns },
    );
  });

  it('and a version and a file make a path that says them', () => {
    const version = fc.constantFrom('1.0.0', 'dev-feature/x', 'dev-ü', '1.x-dev', 'dev-a%2fb', 'dev-#1?');
    fc.assert(
      fc.property(names.filter(isPackageName), version, (name, each) => {
        const file = publishedFile(name, each);
        expect(parsePath(filePath(name, each, file))).toEqual({ kind: 'file', name, version: each, file });
      }),
      { numRuns },
    );
  });

  it.each([
    'p2/acme.json',
    'p2/acme/app',
    'p2/acme/app.json/x',
    'p2/acme/..json',
    'p2/../app.json',
    'p2/a%2fb/app.json',
    'packages.json/x',
    'dist/acme/app/1.0.0',
    'dist/acme/app/1.0.0/a%2fb.zip',
    'dist/acme/app/1.0.0/app.zip/x',
    'dist/acme/app/%2e%2e/app.zip',
    'dist/acme//1.0.0/app.zip',
    '',
  ])('is none in %j', (path) => {
    expect(parsePath(path)).toEqual({ kind: 'unknown' });
  });
});
