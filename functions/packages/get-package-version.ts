import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import type { Table } from '../../shared/table/client.ts';
import { filesList, type PackageRef, versionKey } from '../../shared/table/packages/package-keys.ts';
import { isLive, type PackageFile } from '../../shared/table/packages/packages.ts';
import { getPackageVersion } from './contracts.ts';
import { findHolders, requirePossible } from './holders.ts';
import { versionRecord } from './records.ts';

const filesMax = 1_000;

const filesOf = async (table: Table, ref: PackageRef, version: string): Promise<PackageFile[]> => {
  const files: PackageFile[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await table.query(filesList(ref, version), { after, limit: filesMax });
    files.push(...items.map(({ item }) => item).filter(isLive));
    after = next;
  } while (after !== undefined && files.length < filesMax);
  return files.slice(0, filesMax);
};

export const handler = endpoint(
  getPackageVersion,
  async (call) => {
    const { version } = call.params;
    requirePossible(version, 'VERSION_NOT_FOUND');
    const holders = await findHolders(call);
    const loaded = await call.table.read(holders.map(({ ref }) => versionKey(ref, version)));
    const [found] = holders.flatMap(({ source, ref }) => {
      const item = loaded.find(versionKey(ref, version));
      const shown = isLive(item) && readable(source, { kind: 'version', name: ref.name, version }, item);
      return shown ? [{ ref, item: shown }] : [];
    });
    if (!found) throw new ApiError('VERSION_NOT_FOUND');
    return versionRecord(call.caller, found.ref, found.item, await filesOf(call.table, found.ref, version));
  },
  { alsoRead: alsoReadSources },
);
