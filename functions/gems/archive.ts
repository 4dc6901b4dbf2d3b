import type { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { readTar } from '../../shared/packages/formats/tar-archive.ts';
import { type Gemspec, readGemspec } from './gemspec.ts';

/** The maximum size of the metadata of a gem, packed and unpacked. They have the names of all of its files. */
const [packedBytesMax, metadataBytesMax] = [1024 * 1024, 4 * 1024 * 1024];

const inflated = (packed: Buffer): Buffer => {
  try {
    return gunzipSync(packed, { maxOutputLength: metadataBytesMax });
  } catch (error) {
    throw malformed(`metadata.gz must be gzipped, and have at most ${metadataBytesMax} bytes before that.`, error);
  }
};

/** Reads the metadata of a gem: the file that `gem build` writes. Nothing is extracted. Throws a FormatProblem. */
export const readGem = async (source: Readable): Promise<Gemspec> => {
  const found = new Map<string, Buffer[]>();
  await readTar(source, {
    word: 'gem',
    visit: ({ name, size }) => {
      if (name !== 'metadata.gz' && name !== 'data.tar.gz') return undefined;
      if (found.has(name)) throw malformed(`The gem must have one ${name}, and has several.`);
      if (name === 'metadata.gz' && size > packedBytesMax)
        throw malformed(`metadata.gz must have at most ${packedBytesMax} bytes.`);
      const kept: Buffer[] = [];
      found.set(name, kept);
      return name === 'metadata.gz' ? kept : undefined;
    },
  });
  const metadata = found.get('metadata.gz');
  if (!metadata || !found.has('data.tar.gz'))
    throw malformed('A gem has metadata.gz and data.tar.gz: make it with gem build.');
  return readGemspec(inflated(Buffer.concat(metadata)));
};
