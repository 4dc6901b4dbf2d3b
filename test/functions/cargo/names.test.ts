import fc from 'fast-check';
import { crateFileOf } from '../../../functions/cargo/files.ts';
import {
  crateAtIndexPath,
  indexPathOf,
  isCrateName,
  newNameProblems,
  packageNameOf,
} from '../../../functions/cargo/names.ts';
import { isVersion } from '../../../functions/cargo/versions.ts';
import { decodeSegments } from '../../../shared/packages/sources/path-segments.ts';
import { codePoint } from '../../harness/bytes.ts';

const numRuns = Number(process.env.NAME_RUNS ?? 300);

const letters = 'abcdefghijklmnopqrstuvwxyz';
const isLetter = (character: string): boolean =>
  character.length === 1 && (letters + letters.toUpperCase()).includes(character);

/** The rules of crates.io, read from its documentation character by character. */
const isNameOfCratesIo = (name: string): boolean => {
  const characters = Array.from(name);
  const isAllowed = (each: string): boolean => isLetter(each) || '0123456789-_'.includes(each);
  return (
    characters.length >= 1 && characters.length <= 64 && isLetter(characters[0] ?? '') && characters.every(isAllowed)
  );
};

/** The path in the index, as the documentation of Cargo lists it. */
const documentedPath = (name: string): string => {
  const [a = '', b = '', c = '', d = ''] = name.toLowerCase();
  const folders = [[], ['1'], ['2'], ['3', a]][name.length] ?? [a + b, c + d];
  return [...folders, name.toLowerCase()].join('/');
};

const names = fc.oneof(
  fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,70}$/),
  fc.string({ unit: fc.constantFrom(...Array.from('aB1-_./\\%@ ü\0\u212a')), maxLength: 6 }),
  fc.string({ unit: codePoint, maxLength: 70 }),
);

const shuffled = (name: string, choices: readonly number[]): string =>
  Array.from(name, (character, at) => {
    const choice = choices[at % Math.max(1, choices.length)] ?? 0;
    if (character === '-' || character === '_') return choice % 2 === 0 ? '-' : '_';
    return choice % 2 === 0 ? character.toLowerCase() : character.toUpperCase();
  }).join('');

describe('the name of a crate', () => {
  it('is what crates.io allows, and has the path in the index that Cargo documents', () => {
    fc.assert(
      fc.property(names, (name) => {
        const isAllowed = isNameOfCratesIo(name);
        expect(isCrateName(name)).toBe(isAllowed);
        if (isAllowed) expect(indexPathOf(name)).toBe(documentedPath(name));
      }),
      { numRuns },
    );
  });

  it('has one package for all spellings, and different packages for different names', () => {
    const plain = fc.stringMatching(/^[a-z][a-z0-9_-]{0,7}$/);
    fc.assert(
      fc.property(plain, plain, fc.array(fc.nat(), { minLength: 1 }), (one, other, choices) => {
        expect(packageNameOf(shuffled(one, choices))).toBe(packageNameOf(one));
        const isSame = one.replaceAll('_', '-') === other.replaceAll('_', '-');
        expect(packageNameOf(one) === packageNameOf(other)).toBe(isSame);
      }),
      { numRuns },
    );
  });

  it('is found at its path alone, and no path leads out of the index', () => {
    const segment = fc.oneof(names, fc.constantFrom('', '.', '..', '%2e%2e', '%2f', 'a%2fb', '3', 'a', 'ab'));
    const paths = fc.oneof(
      names.map((name) => documentedPath(name)),
      fc.array(segment, { maxLength: 4 }).map((segments) => segments.join('/')),
    );
    fc.assert(
      fc.property(paths, (path) => {
        const crate = crateAtIndexPath(decodeSegments(path) ?? []);
        if (crate === undefined) return;
        expect(isNameOfCratesIo(crate) && crate === crate.toLowerCase()).toBe(true);
        expect(decodeURIComponent(path)).toBe(documentedPath(crate));
      }),
      { numRuns },
    );
  });

  it('has one path in the index, without encoded slashes', () => {
    const crateAt = (path: string) => crateAtIndexPath(decodeSegments(path) ?? []);
    expect(['se/rd/serde', 'se%2Frd/serde', 'se%2frd%2fserde', 'se/rd/se%72de'].map(crateAt)).toEqual([
      'serde',
      undefined,
      undefined,
      'serde',
    ]);
  });

  it('and a version make the key of one file, without any other character', () => {
    const versions = fc.oneof(fc.constantFrom('1.0.0', '1.0.0-a.1', '1.0.0+b', '1.0', '../1.0.0', '1.0.0/x'), names);
    fc.assert(
      fc.property(names, versions, (crate, version) => {
        const isValid = isNameOfCratesIo(crate) && isVersion(version);
        let file: string | undefined;
        try {
          file = crateFileOf({ crate, version }).file;
        } catch {
          file = undefined;
        }
        expect(file !== undefined).toBe(isValid);
        if (file !== undefined) expect(file).toMatch(/^[a-z][a-z0-9-]*-\d+\.\d+\.\d+[0-9A-Za-z.-]*\.crate$/);
      }),
      { numRuns },
    );
  });

  it.each(['nul', 'COM1', 'std', 'proc_macro', 'compiler-builtins'])('%s is reserved', (name) => {
    expect(newNameProblems(name)).toEqual([expect.stringContaining('is reserved')]);
  });
});
