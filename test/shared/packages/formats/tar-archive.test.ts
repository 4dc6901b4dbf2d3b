import { Readable } from 'node:stream';
import { readTar } from '../../../../shared/packages/formats/tar-archive.ts';
import { describeRefusal } from '../../../harness/format-refusals.ts';
import { paxHeader, tarOf } from '../../../types/tars.ts';

const names = async (...pieces: readonly Buffer[]): Promise<readonly string[]> => {
  const found: string[] = [];
  const visit = ({ name }: { readonly name: string }): undefined => {
    found.push(name);
  };
  await readTar(Readable.from([Buffer.concat(pieces)]), { word: 'archive', visit });
  return found;
};

describe('A tar archive', () => {
  const files = tarOf({ 'a.txt': 'a', 'b.txt': 'b' });

  it('may have extended headers, as pax and git write them', async () => {
    expect(await names(paxHeader('all', 50), paxHeader('next', 60_000), files)).toEqual(['a.txt', 'b.txt']);
  });

  it.each([
    ['next', 70_000, 65_536],
    ['all', 1_100, 1_024],
  ] as const)('is refused with a large one for the %s, however few bytes it compresses to', async (of, bytes, max) => {
    const refusal = await names(paxHeader(of, bytes), files).catch(describeRefusal);
    expect(refusal).toBe(`malformed: The archive has an extended header of more than ${max} bytes.`);
  });

  it('is read to its end, and of each entry no more is kept than the reader wants', async () => {
    const entries = tarOf({ 'a.txt': 'a'.repeat(3_000_000), 'b.txt': 'b', 'c.txt': 'c'.repeat(10) });
    const chunks = [entries.subarray(0, 600), entries.subarray(600, 900), entries.subarray(900)];
    const kept: Buffer[][] = [];
    const visit = (): Buffer[] => {
      kept.push([]);
      return kept.at(-1) ?? [];
    };
    await readTar(Readable.from(chunks), { word: 'archive', visit, keptBytesMax: 300 });
    expect(kept.map((each) => String(Buffer.concat(each)))).toEqual(['a'.repeat(300), 'b', 'c'.repeat(10)]);
    expect(kept[0]?.length).toBeLessThan(4);
  });

  it('takes no time for each entry that grows with a header for all of them', async () => {
    const entries = Array.from({ length: 500 }, () => paxHeader('next', 10));
    const begun = performance.now();
    await names(paxHeader('all', 2_000_000), ...entries, files).catch(() => {});
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
