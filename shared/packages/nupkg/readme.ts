import { type Readme, readmeBytesMax, readmeText } from '../formats/readme.ts';
import { childOf, type Element, parseDocument, textOf } from '../formats/xml.ts';
import { readZip, type ZippedFile } from '../formats/zip-archive.ts';
import { nuspecBytesMax } from './nuspec.ts';
import { readPackage } from './package-archive.ts';

const metadataIn = (nuspec: Uint8Array): Element | undefined =>
  childOf(parseDocument(nuspec, 'The nuspec of the package', nuspecBytesMax, 'by local names'), 'metadata');

const markdown = (text: string): Readme => ({ mediaType: 'text/markdown; charset=utf-8', text });

/** The file that the metadata name. Tools of Windows write backslashes. */
const namedReadme = async (file: ZippedFile, metadata: Element): Promise<Readme | undefined> => {
  const named = textOf(metadata, 'readme')?.replaceAll('\\', '/').toLowerCase();
  if (named === undefined) return undefined;
  const wants = (path: string): boolean => path.toLowerCase() === named;
  const [text] = (await readZip(file, { word: 'package', wants, bytesMax: readmeBytesMax })).values();
  return text && markdown(readmeText(text));
};

/** Reads the README that the nuspec of a package names: Markdown, as learn.microsoft.com/nuget/reference/nuspec#readme says. */
export const readmeOfPackage = async (file: ZippedFile): Promise<Readme | undefined> => {
  const metadata = metadataIn((await readPackage(file)).nuspec);
  return metadata && namedReadme(file, metadata);
};

/** The same, or else the description: Markdown, as docs.chocolatey.org/en-us/create/create-packages#nuspec says. */
export const readmeOrDescription = async (file: ZippedFile): Promise<Readme | undefined> => {
  const metadata = metadataIn((await readPackage(file)).nuspec);
  const description = metadata && textOf(metadata, 'description');
  return (metadata && (await namedReadme(file, metadata))) ?? (description ? markdown(description) : undefined);
};
