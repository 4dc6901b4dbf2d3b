import type { Readable } from 'node:stream';
import type { Header } from 'tar-stream';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import type { JsonObject } from '../../shared/packages/formats/json-objects.ts';
import { readGzippedTar } from '../../shared/packages/formats/tar-archive.ts';
import { parseManifest } from './manifest.ts';

const manifestBytesMax = 1024 * 1024;

/** The entries of a crate, of which Cargo.toml is kept. */
class Listing {
  folder: string | undefined;
  manifest: Buffer[] | undefined;

  /** Checks an entry, and returns where its bytes go if they are kept. Cargo refuses the same entries when it unpacks a crate. */
  add({ name, type, size }: Header): Buffer[] | undefined {
    const [folder = '', ...path] = name.split('/');
    this.folder ??= folder;
    if (folder !== this.folder || path.length === 0 || /(?:^|[\\/])\.\.?(?:[\\/]|$)|\0/.test(name))
      throw malformed(
        'All paths in the crate must be below one folder, which has the name and the version of the crate.',
      );
    if (type !== 'file' && type !== 'contiguous-file' && type !== 'directory')
      throw malformed('The crate contains a link or a device. It may contain files and folders only.');
    if (path.join('/') !== 'Cargo.toml' || type === 'directory') return undefined;
    if (this.manifest) throw malformed('The crate has more than one Cargo.toml.');
    if (size > manifestBytesMax) throw malformed(`Cargo.toml in the crate has more than ${manifestBytesMax} bytes.`);
    this.manifest = [];
    return this.manifest;
  }
}

/** What a crate says of itself. */
export interface CrateContent {
  readonly folder: string;
  /** The table of its Cargo.toml. */
  readonly manifest: JsonObject;
}

/** Reads a crate to its end. Nothing is extracted. An error of the source is passed on unchanged. */
export const readCrate = async (source: Readable): Promise<CrateContent> => {
  const listing = new Listing();
  await readGzippedTar(source, { word: 'crate', visit: (header) => listing.add(header) });
  const { folder, manifest } = listing;
  if (folder === undefined || !manifest)
    throw malformed('The crate has no Cargo.toml. Make the crate with cargo package.');
  return { folder, manifest: parseManifest(Buffer.concat(manifest)) };
};
