import fc from 'fast-check';
import { type ConanPath, parsePath, pathOf } from '../../../functions/conan/paths.ts';
import {
  type ConanReference,
  coversRevision,
  isName,
  parseRecipe,
  recipeText,
  versionOf,
} from '../../../functions/conan/references.ts';
import { ApiError } from '../../../shared/errors.ts';
import { codePoint } from '../../harness/bytes.ts';

const characters = (first: string, rest: string, maxLength: number, minLength: number) =>
  fc
    .tuple(
      fc.constantFrom(...first.split('')),
      fc.string({ unit: fc.constantFrom(...rest.split('')), minLength: minLength - 1, maxLength: maxLength - 1 }),
    )
    .map(([one, others]) => one + others);

const small = 'abcdefghijklmnopqrstuvwxyz0123456789_';
const name = characters(small, `${small}+.-`, 101, 2);
const version = characters(`${small}ABC`, `${small}ABC+.-`, 101, 1);
const id = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEFxyz'.split('')), minLength: 1, maxLength: 64 });
const noPlace = { user: fc.constant(undefined), channel: fc.constant(undefined) };
const recipeAt = (place: {
  readonly user: fc.Arbitrary<string | undefined>;
  readonly channel: fc.Arbitrary<string | undefined>;
}) => fc.record({ name, version, ...place });
const recipe: fc.Arbitrary<ConanReference> = fc.oneof(
  recipeAt(noPlace),
  recipeAt({ ...noPlace, user: name }),
  recipeAt({ user: name, channel: name }),
);
const ids = fc.oneof(
  fc.record({ recipeRevision: id }),
  fc.record({ recipeRevision: id, packageId: id, packageRevision: id }),
);
const revision: fc.Arbitrary<ConanReference> = fc.tuple(recipe, ids).map(([each, of]) => Object.assign(each, of));
const runs = { numRuns: Number(process.env.NAME_RUNS ?? 300) };

const parsed = (path: string): ConanPath | undefined => {
  try {
    return parsePath(path);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    return undefined;
  }
};

describe('References and paths', () => {
  it('a recipe is read as it is written, with and without the signs for no user', () => {
    fc.assert(
      fc.property(recipe, (each) => {
        expect(recipeText(parseRecipe(recipeText(each)) as ConanReference)).toBe(recipeText(each));
        if (each.user === undefined) expect(parseRecipe(`${recipeText(each)}@_/_`)).toEqual(each);
      }),
      runs,
    );
  });

  it('every text that is read as a recipe is one as Conan writes it', () => {
    const text = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.string({ unit: fc.constantFrom(...'ab1/@_.-#'.split('')) }),
    );
    fc.assert(
      fc.property(text, (each) => {
        const read = parseRecipe(each);
        if (read) expect([recipeText(read), `${recipeText(read)}@_/_`]).toContain(each);
      }),
      runs,
    );
  });

  it('the path of a file of a revision is read as it is written', () => {
    const file = fc.constantFrom('conanfile.py', 'metadata/sign/a b.sig', 'ünïcode', 'a%2', 'files');
    fc.assert(
      fc.property(revision, file, (reference, each) => {
        const read = parsed(pathOf(reference, 'files', each));
        expect(read && [versionOf(read.reference), read.reference.name, read.wanted, read.file]).toEqual([
          versionOf(reference),
          reference.name,
          'file',
          each,
        ]);
      }),
      runs,
    );
  });

  it('two revisions never have one version', () => {
    fc.assert(
      fc.property(revision, revision, (one, other) => {
        const isSame = pathOf(one) === pathOf(other);
        if (one.name === other.name) expect(versionOf(one) === versionOf(other)).toBe(isSame);
        else
          expect(pathOf({ ...one, name: 'xx' }) === pathOf({ ...other, name: 'xx' })).toBe(
            versionOf(one) === versionOf(other),
          );
      }),
      runs,
    );
  });

  it('no path leads elsewhere, whatever it is made of', () => {
    const segment = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 5 }),
      fc.constantFrom(
        '..',
        '%2e%2e',
        '%2F',
        '.',
        '',
        'a%00',
        'revisions',
        'files',
        'packages',
        'search',
        'aa',
        '1.0',
        '_',
      ),
    );
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 12 }), (segments) => {
        const read = parsed(segments.join('/'));
        if (!read) return;
        expect(isName(read.reference.name)).toBe(true);
        expect(read.file.split('/')).not.toContain('..');
        expect(versionOf(read.reference)).toMatch(/^[\w+.-]+(?:@[\w+.-]+(?:\/[\w+.-]+)?)?(?:#\w+(?::\w+(?:#\w+)?)?)?$/);
      }),
      runs,
    );
  });

  it.each([
    ['1.0', '1.0#a', true],
    ['1.0', '1.0#a:b#c', true],
    ['1.0#a', '1.0#a:b#c', true],
    ['1.0#a', '1.0#ab', false],
    ['1.0', '1.0.1', false],
    ['1', '1:2.0', false],
    ['1.0', '1.0@acme/stable#a', true],
    ['1.0#a', '1.0@acme/stable#a', false],
    ['1.0@_/_', '1.0#a', true],
    ['1.0@_/_', '1.0@acme/stable#a', false],
  ])('a rule on %s is one on %s: %s', (ruled, other, expected) => {
    expect(coversRevision(ruled, other)).toBe(expected);
  });
});
