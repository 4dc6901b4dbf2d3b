import { endpoint } from '../../shared/http/endpoint.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { getPackageVersion } from './contracts.ts';
import { filesOf, findVersion } from './found-version.ts';
import { listGates } from './kept-gates.ts';
import { versionRecord } from './records.ts';

export const handler = endpoint(
  getPackageVersion,
  async (call) => {
    const { ref, item, source } = await findVersion(call);
    const [files, [gate = null]] = await Promise.all([
      filesOf(call.table, ref, item.version),
      listGates(call.table, source, ref.name, [item]),
    ]);
    return versionRecord(call.caller, ref, item, files, gate);
  },
  { alsoRead: alsoReadSources },
);
