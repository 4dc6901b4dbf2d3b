import { ApiError } from '../../shared/errors.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';
import type { Table } from '../../shared/table/client.ts';
import { fileKey } from '../../shared/table/packages/package-keys.ts';
import { isLive } from '../../shared/table/packages/packages.ts';
import { contentIdOf, type LocalRepository } from '../../shared/table/repositories/repositories.ts';
import { type DebianPlace, readFileName } from './names.ts';
import { versionKey } from './paths.ts';
import { fieldsIn, hashedLines } from './release-reader.ts';

/** The maximum size of a file beside packages in bytes. */
const changesBytesMax = 1_000_000;

/** What dput sends beside packages: the source and the version that were built, and the packages with their hashes. */
interface Changes {
  readonly source: string;
  readonly version: string;
  readonly packages: readonly { readonly path: string; readonly sha256: string }[];
}

const refusal = (detail: string): ApiError => new ApiError('PACKAGE_INVALID', detail);

/** Reads a .changes or a .buildinfo, with a signature around it or without. Throws PACKAGE_INVALID. */
export const readChanges = (text: string): Changes => {
  const fields = fieldsIn(text);
  const [[source = ''], [version = '']] = [fields.get('source') ?? [], fields.get('version') ?? []];
  const hashed = hashedLines(fields.get('checksums-sha256'));
  if (source === '' || version === '' || hashed.length === 0)
    throw refusal('The file names no Source, Version and Checksums-Sha256: build it anew with dpkg-buildpackage.');
  return { source, version, packages: hashed.filter(({ path }) => path.endsWith('.deb')) };
};

/** Refuses a .changes whose packages are not in the repository with the hashes that it names. */
const requirePackages = async (
  table: Table,
  target: LocalRepository,
  place: DebianPlace,
  { packages }: Changes,
): Promise<void> => {
  for (const { path, sha256 } of packages) {
    const build = readFileName(path);
    if (!build) throw refusal(`${path} in the file is no name of a package: build it anew with dpkg-buildpackage.`);
    const ref = { contentId: contentIdOf(target), name: build.name };
    const key = fileKey(ref, versionKey(place, build), path);
    const found = (await table.read([key])).find(key);
    if (!isLive(found) || found.blob.sha256 !== sha256)
      throw refusal(
        `${path} is not in ${place.distribution}/${place.component} with the SHA-256 that the file names: send the package first, as it was built.`,
      );
  }
};

/** Reads a file that belongs to packages, and compares what a .changes says with them. Nothing of it is kept. */
export const acceptChanges = async (
  table: Table,
  target: LocalRepository,
  { file, ...place }: DebianPlace & { readonly file: string },
  received: ReceivedFile,
) => {
  const { size, hashes } = received;
  if (size > changesBytesMax) throw refusal(`A file beside packages has at most ${changesBytesMax} bytes.`);
  const bytes = size === 0 ? Buffer.alloc(0) : await received.read([0, size - 1]);
  const changes = readChanges(Buffer.from(bytes).toString());
  if (file.endsWith('.changes')) await requirePackages(table, target, place, changes);
  const { source, version } = changes;
  return { package: source, version, file, sizeInBytes: size, sha256: hashes.sha256 };
};
