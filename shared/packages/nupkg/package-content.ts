import { fileInMemory, type ReceivedFile } from '../../store/received-file.ts';
import { type FileToPublish, fileMediaType } from '../changes/publication.ts';
import type { VersionContent } from '../changes/version-content.ts';
import { broken, invalid } from '../formats/format-problem.ts';
import { nameOfId } from './ids.ts';
import { type PackageMetadata, requireDependencies } from './nuspec.ts';
import { readPackage } from './package-archive.ts';
import { partsOf } from './package-entries.ts';
import { type FileEnding, nuspecFile, nuspecMediaType, packageFile } from './package-files.ts';
import { normalVersion } from './versions.ts';

const fileOf = ({ id, version }: PackageMetadata, received: ReceivedFile, ending: FileEnding): FileToPublish => ({
  name: packageFile(id, version, ending).file,
  mediaType: fileMediaType,
  received,
});

/** The type of a package with symbols, which it names in its nuspec. */
const isOfSymbols = ({ packageTypes = [] }: PackageMetadata): boolean =>
  packageTypes.some(({ name }) => name.toLowerCase() === 'symbolspackage');

/** A package with symbols, as it is added to its version. */
export const symbolContent = async (received: ReceivedFile): Promise<VersionContent> => {
  const { metadata } = await readPackage(received);
  if (!isOfSymbols(metadata))
    throw invalid([
      broken(
        ['packageTypes'],
        'symbols',
        'The nuspec must have the package type SymbolsPackage: publish other packages to the address of packages.',
      ),
    ]);
  const { name, version } = packageFile(metadata.id, metadata.version);
  return { name, displayName: metadata.id, version, files: [fileOf(metadata, received, 'snupkg')] };
};

/** A version as it is published, with its symbols, if they come with it. */
export const packageContent = async (received: ReceivedFile, symbols?: ReceivedFile): Promise<VersionContent> => {
  const { metadata, nuspec } = await readPackage(received);
  if (isOfSymbols(metadata))
    throw invalid([
      broken(
        ['packageTypes'],
        'symbols',
        'This is a package with symbols: publish it after its package, to v3/symbolpackage of a repository of NuGet.',
      ),
    ]);
  requireDependencies(nuspec);
  const added = symbols && (await symbolContent(symbols));
  const { name, version } = packageFile(metadata.id, metadata.version);
  if (added && (added.name !== name || added.version !== version))
    throw invalid([
      broken(
        ['version'],
        'symbols',
        `The symbols are those of ${added.displayName} ${added.version}, not of ${metadata.id} ${version}.`,
      ),
    ]);
  const { sha512 } = received.hashes;
  return {
    name: nameOfId(metadata.id),
    displayName: metadata.id,
    version: normalVersion(metadata.version) ?? metadata.version,
    files: [
      fileOf(metadata, received, 'nupkg'),
      {
        name: nuspecFile(metadata.id, metadata.version).file,
        mediaType: nuspecMediaType,
        received: fileInMemory(nuspec),
      },
      ...(added?.files ?? []),
    ],
    parts: partsOf({
      ...metadata,
      listed: true,
      published: new Date().toISOString(),
      packageSize: received.size,
      ...(sha512 !== undefined && { sha512 }),
    }),
  };
};
