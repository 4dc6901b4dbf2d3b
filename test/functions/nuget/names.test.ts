import fc from 'fast-check';
import { isPackageId, nameOfId } from '../../../shared/packages/nupkg/ids.ts';
import { packageFile } from '../../../shared/packages/nupkg/package-files.ts';
import { fullText, normalVersion, parseVersion } from '../../../shared/packages/nupkg/versions.ts';
import { parsePath } from '../../../shared/packages/nupkg-protocol/paths.ts';
import { codePoint } from '../../harness/bytes.ts';

const numRuns = Number(process.env.NAME_RUNS ?? 300);

const isLetterOrDigit = (character: string): boolean =>
  character.length === 1 &&
  'abcdefghijklmnopqrstuvwxyz0123456789_'.includes(character.toLowerCase()) &&
  character < '\u0080';

/** The rules of the gallery, character by character: words with one `.` or `-` between them. */
const isIdOfGallery = (id: string): boolean => {
  const words = id.split(/[.-]/);
  return id.length <= 100 && words.every((word) => word !== '' && Array.from(word).every(isLetterOrDigit));
};

const ids = fc.oneof(
  fc.stringMatching(/^[a-zA-Z0-9_]{1,40}([.-][a-zA-Z0-9_]{1,40}){0,3}$/),
  fc.string({ unit: fc.constantFrom(...Array.from('aB1-_./\\%@ ü\0\u212a')), maxLength: 6 }),
  fc.string({ unit: codePoint, maxLength: 110 }),
);

const number = fc.constantFrom('0', '1', '01', '10', '2147483647');
const versions = fc
  .tuple(
    fc.array(number, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '-beta', '-Beta.2', '-rc-1.10', '-0'),
    fc.constantFrom('', '+build', '+5.a'),
  )
  .map(([numbers, prerelease, build]) => numbers.join('.') + prerelease + build);

describe('the ID of a package', () => {
  it('is what the gallery allows, in ASCII', () => {
    fc.assert(
      fc.property(ids, (id) => expect(isPackageId(id)).toBe(isIdOfGallery(id))),
      { numRuns },
    );
  });

  it('has one name in whatever case, which is an ID, too', () => {
    fc.assert(
      fc.property(ids.filter(isPackageId), (id) => {
        expect(nameOfId(id.toUpperCase())).toBe(nameOfId(id));
        expect(isPackageId(nameOfId(id))).toBe(true);
      }),
      { numRuns },
    );
  });
});

describe('a version', () => {
  it('has one normal form for all spellings, which is its own', () => {
    fc.assert(
      fc.property(versions, (text) => {
        const normal = normalVersion(text);
        expect(normalVersion(normal ?? '')).toBe(normal);
        expect(normalVersion(text.toUpperCase())).toBe(normal);
        const parsed = parseVersion(text);
        expect(normalVersion(parsed ? fullText(parsed) : '')).toBe(normal);
        expect(normal).not.toContain('+');
      }),
      { numRuns },
    );
  });

  it('has one path of its file, in whatever spelling', () => {
    fc.assert(
      fc.property(ids.filter(isPackageId), versions, (id, version) => {
        const path = `v3/flat/${id}/${encodeURIComponent(version)}/${id}.${encodeURIComponent(version)}.nupkg`;
        expect(parsePath(path)).toEqual({ kind: 'file', ...packageFile(id, version) });
        expect(Buffer.byteLength(packageFile(id, version).file)).toBeLessThanOrEqual(255);
      }),
      { numRuns },
    );
  });
});
