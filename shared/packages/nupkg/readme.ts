import { type Readme, readmeBytesMax, readmeText } from '../formats/readme.ts';
import { childOf, parseDocument, textOf } from '../formats/xml.ts';
import { readZip, type ZippedFile } from '../formats/zip-archive.ts';
import { nuspecBytesMax } from './nuspec.ts';
import { readPackage } from './package-archive.ts';

/** The path of the README that a nuspec names; undefined if it names none. Tools of Windows write backslashes. */
const pathIn = (nuspec: Uint8Array): string | undefined => {
  const root = parseDocument(nuspec, 'The nuspec of the package', nuspecBytesMax, 'by local names');
  const metadata = childOf(root, 'metadata');
  return metadata && textOf(metadata, 'readme')?.replaceAll('\\', '/');
};

/** Reads the README that the nuspec of a package names: Markdown, as learn.microsoft.com/nuget/reference/nuspec#readme says. */
export const readmeOfPackage = async (file: ZippedFile): Promise<Readme | undefined> => {
  const named = pathIn((await readPackage(file)).nuspec)?.toLowerCase();
  if (named === undefined) return undefined;
  const wants = (path: string): boolean => path.toLowerCase() === named;
  const [text] = (await readZip(file, { word: 'package', wants, bytesMax: readmeBytesMax })).values();
  return text && { mediaType: 'text/markdown; charset=utf-8', text: readmeText(text) };
};
