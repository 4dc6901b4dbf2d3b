import { ApiError } from '../../shared/errors.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import type { Source } from '../../shared/packages/sources/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import { filesList, type PackageRef, versionKey } from '../../shared/table/packages/package-keys.ts';
import { isLive, type PackageFile, type PackageVersion } from '../../shared/table/packages/packages.ts';
import { findHolders, requirePossible } from './holders.ts';

const filesMax = 1_000;

/** The files of a version, at most the first 1,000 by name. */
export const filesOf = async (table: Table, ref: PackageRef, version: string): Promise<PackageFile[]> => {
  const files: PackageFile[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await table.query(filesList(ref, version), { after, limit: filesMax });
    files.push(...items.map(({ item }) => item).filter(isLive));
    after = next;
  } while (after !== undefined && files.length < filesMax);
  return files.slice(0, filesMax);
};

interface FoundVersion {
  readonly source: Source;
  readonly ref: PackageRef;
  readonly item: PackageVersion;
}

type VersionCall = Parameters<typeof findHolders>[0] & { readonly params: { readonly version: string } };

/** The version in the path, in the first repository that has it. */
export const findVersion = async (call: VersionCall): Promise<FoundVersion> => {
  const { version } = call.params;
  requirePossible(version, 'VERSION_NOT_FOUND');
  const holders = await findHolders(call);
  const loaded = await call.table.read(holders.map(({ ref }) => versionKey(ref, version)));
  const [found] = holders.flatMap(({ source, ref }) => {
    const item = loaded.find(versionKey(ref, version));
    const shown = isLive(item) && readable(source, { kind: 'version', name: ref.name, version }, item);
    return shown ? [{ source, ref, item: shown }] : [];
  });
  if (!found) throw new ApiError('VERSION_NOT_FOUND');
  return found;
};
