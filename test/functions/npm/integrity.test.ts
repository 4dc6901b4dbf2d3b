import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { hashesOfDist, hashesOfIntegrity, hashesOfShasum, integrityOf } from '../../../functions/npm/integrity.ts';

const algorithms = ['sha1', 'sha256', 'sha384', 'sha512'] as const;
const hexOf = (algorithm: string, text: string): string => createHash(algorithm).update(text).digest('hex');
const sri = (algorithm: string, text: string): string =>
  `${algorithm}-${createHash(algorithm).update(text).digest('base64')}`;

describe('an integrity text', () => {
  it('lists hashes of every algorithm of npm', () => {
    const text = algorithms.map((algorithm) => sri(algorithm, 'a')).join(' ');
    expect(hashesOfIntegrity(text)).toEqual(algorithms.map((algorithm) => ({ algorithm, hex: hexOf(algorithm, 'a') })));
  });

  it('is read as it is written', () => {
    fc.assert(
      fc.property(fc.constantFrom(...algorithms), fc.string(), (algorithm, text) => {
        const hash = { algorithm, hex: hexOf(algorithm, text) };
        expect(integrityOf(hash)).toBe(sri(algorithm, text));
        expect(hashesOfIntegrity(integrityOf(hash))).toEqual([hash]);
      }),
    );
  });

  it('may have options and much white space', () => {
    expect(hashesOfIntegrity(`  ${sri('sha512', 'a')}?size=5 \n ${sri('sha1', 'a')} `)).toHaveLength(2);
  });

  it.each([
    ['of another algorithm', sri('md5', 'a')],
    ['too short', 'sha512-YWJj'],
    ['no base64', `sha512-${'!'.repeat(88)}`],
    ['nothing', ''],
    ['a number', 5],
    ['missing', undefined],
  ])('lists nothing when it is %s', (_, integrity) => {
    expect(hashesOfIntegrity(integrity)).toEqual([]);
  });
});

describe('a shasum', () => {
  it('is SHA-1 in hexadecimal, in either case', () => {
    const hex = hexOf('sha1', 'a');
    expect(hashesOfShasum(hex.toUpperCase())).toEqual([{ algorithm: 'sha1', hex }]);
    expect([hashesOfShasum(hex.slice(1)), hashesOfShasum(5), hashesOfShasum(`${hex}0`)]).toEqual([[], [], []]);
  });
});

describe('the dist of a manifest', () => {
  it('lists the hashes of both fields', () => {
    const dist = { integrity: sri('sha512', 'a'), shasum: hexOf('sha1', 'a') };
    expect(hashesOfDist(dist).map(({ algorithm }) => algorithm)).toEqual(['sha512', 'sha1']);
    expect([hashesOfDist({}), hashesOfDist(null)]).toEqual([[], []]);
  });
});
