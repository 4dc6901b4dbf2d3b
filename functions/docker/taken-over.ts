import { stateOfBlob } from '../../shared/packages/blobs/stored-bytes.ts';
import type { PublishCall } from '../../shared/packages/changes/publish-to.ts';
import { type FileAddress, findFiles } from '../../shared/packages/sources/resolution.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import type { Table } from '../../shared/table/client.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import type { PackageFile } from '../../shared/table/packages/packages.ts';
import type { LocalRepository } from '../../shared/table/repositories/repositories.ts';
import { blobAddress, manifestAddress } from './addresses.ts';
import { storeImageBlob } from './blobs.ts';
import { hexOf } from './digests.ts';
import { rulingOnBlob, rulingOnManifest, unblocked } from './verdicts.ts';

/** An image as the sources of a repository have it. */
export interface SourceImage {
  readonly sources: Sources;
  readonly loaded: IdentityMap;
  readonly image: string;
}

/** The file that the first of the sources keeps; undefined if none does, or if the store has lost it. Upstreams are not asked. */
const keptFile = async (
  table: Table,
  { sources, loaded }: SourceImage,
  address: FileAddress,
): Promise<PackageFile | undefined> => {
  const files = await findFiles(table, sources, address, loaded);
  const found = files.find(({ file }) => file)?.file;
  return found && (await stateOfBlob(table, found.blob, found.size)) === 'intact' ? found : undefined;
};

/** The file of a blob that the first of the sources keeps; undefined if none does, or if a verdict blocks it there. */
export const keptBlob = async (table: Table, from: SourceImage, digest: string): Promise<PackageFile | undefined> => {
  const { sources } = unblocked(from.sources, from.image, digest, (each) => rulingOnBlob(each, from.image, digest));
  return keptFile(table, { ...from, sources }, blobAddress(from.image, digest));
};

/** The same of a manifest. */
export const keptManifest = async (
  table: Table,
  from: SourceImage,
  digest: string,
): Promise<PackageFile | undefined> => {
  const { sources } = unblocked(from.sources, from.image, digest, (each) =>
    rulingOnManifest(each, from.image, [digest]),
  );
  return keptFile(table, { ...from, sources }, manifestAddress(from.image, digest));
};

/** Makes the file of a blob elsewhere in the workspace a blob of an image, without its bytes. */
export const takeBlob = async (
  call: PublishCall,
  target: LocalRepository,
  image: string,
  { file: digest, size, blob }: PackageFile,
): Promise<void> => {
  const hashes = { sha256: hexOf(digest) };
  const stored = { ...fileInMemory(Buffer.alloc(0), hashes), size, storedAs: blob.objectId };
  await storeImageBlob(call, target, image, stored);
};
