import fc from 'fast-check';
import { readZipEntry } from '../../../functions/pypi/zip-entry.ts';
import { FormatProblem } from '../../../shared/packages/formats/format-problem.ts';
import { fileInMemory } from '../../../shared/store/received-file.ts';
import { coreMetadata, wheelOf, zipOf } from '../../harness/pypi.ts';

const wanted = { path: /^[^/]+\.dist-info\/METADATA$/, what: 'METADATA', word: 'wheel' };
const each = { name: 'acme', version: '1.0' };

describe('A file in a zip archive', () => {
  it('is read with few calls of the store, at the end of the archive, however many files it has', async () => {
    const others = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`acme/module_${index}.py`, 'x'.repeat(2_000)]),
    );
    const file = fileInMemory(wheelOf(each, others));
    const ranges: (readonly [number, number])[] = [];
    const read = async (range: readonly [number, number]) => {
      ranges.push(range);
      return file.read(range);
    };
    const bytes = await readZipEntry({ size: file.size, read }, wanted);
    expect(Buffer.from(bytes).toString()).toBe(coreMetadata(each));
    expect(ranges.length).toBeLessThanOrEqual(4);
    expect(ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)).toBeLessThan(file.size / 3);
  });

  it('that is damaged anywhere is the problem of the archive, or the file', async () => {
    const wheel = zipOf({ 'acme-1.0.dist-info/METADATA': coreMetadata(each), 'acme/a.py': 'a' });
    const change = fc.record({ at: fc.nat(wheel.length - 1), byte: fc.nat(255), cut: fc.nat(40) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const damaged = Buffer.from(wheel.subarray(0, wheel.length - ((changes[0]?.cut ?? 0) % 3)));
        for (const { at, byte } of changes) if (at < damaged.length) damaged[at] = byte;
        const outcome: unknown = await readZipEntry(fileInMemory(damaged), wanted).catch((error: unknown) => error);
        expect(outcome instanceof FormatProblem || outcome instanceof Uint8Array).toBe(true);
      }),
      { numRuns: Number(process.env.NAME_RUNS ?? 300) > 300 ? 20_000 : 300 },
    );
  }, 120_000);

  it('that the store does not return is no problem of the archive', async () => {
    const failure = new Error('The store is down.');
    const file = { size: 100, read: async () => Promise.reject(failure) };
    await expect(readZipEntry(file, wanted)).rejects.toBe(failure);
  });

  it('of more bytes than the directory says is refused', async () => {
    const wheel = zipOf({ 'acme-1.0.dist-info/METADATA': 'x'.repeat(10_000) });
    const directory = wheel.lastIndexOf(Buffer.from('PK\u0001\u0002'));
    wheel.writeUInt32LE(100, directory + 24);
    await expect(readZipEntry(fileInMemory(wheel), wanted)).rejects.toThrow('damaged');
  });
});
