import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { readZip, type ZippedFile } from '../../shared/packages/formats/zip-archive.ts';
import { metadataBytesMax } from './core-metadata.ts';

/** Returns the one file of a zip archive whose path fits. `word` is that for the archive. */
export const readZipEntry = async (
  file: ZippedFile,
  { path, what, word }: { readonly path: RegExp; readonly what: string; readonly word: string },
): Promise<Uint8Array> => {
  const found = await readZip(file, { word, wants: (name) => path.test(name), bytesMax: metadataBytesMax });
  const [content, ...others] = found.values();
  if (!content || others.length > 0) throw malformed(`The ${word} must contain one file ${what}.`);
  return content;
};
