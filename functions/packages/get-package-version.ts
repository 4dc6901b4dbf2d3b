import { endpoint } from '../../shared/http/endpoint.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { getPackageVersion } from './contracts.ts';
import { filesOf, findVersion } from './found-version.ts';
import { versionRecord } from './records.ts';

export const handler = endpoint(
  getPackageVersion,
  async (call) => {
    const { ref, item } = await findVersion(call);
    return versionRecord(call.caller, ref, item, await filesOf(call.table, ref, item.version));
  },
  { alsoRead: alsoReadSources },
);
