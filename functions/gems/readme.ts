import { Readable } from 'node:stream';
import { type ReadmeReader, readmeArchiveBytesMax, readmeInPaths } from '../../shared/packages/formats/readme.ts';
import { readTar } from '../../shared/packages/formats/tar-archive.ts';

/** Reads the README at the top of the files of a gem, which are in an archive within it. */
export const readmeInGem: ReadmeReader = async (gem) => {
  if (gem.size > readmeArchiveBytesMax) return undefined;
  const data: Buffer[] = [];
  const visit = ({ name }: { readonly name: string }) => (name === 'data.tar.gz' ? data : undefined);
  await readTar(Readable.from([await gem.read([0, Math.max(0, gem.size - 1)])]), { word: 'gem', visit });
  return readmeInPaths(Buffer.concat(data), 'data.tar.gz of the gem', ([name, ...deeper]) =>
    deeper.length > 0 ? undefined : name,
  );
};
