import { endpoint } from '../../shared/http/endpoint.ts';
import { alsoReadSources } from '../../shared/packages/package-address.ts';
import { getPackage } from './contracts.ts';
import { findHolders } from './holders.ts';
import { packageRecord } from './records.ts';

export const handler = endpoint(
  getPackage,
  async (call) => packageRecord(call.repository.packageType, await findHolders(call)),
  { alsoRead: alsoReadSources },
);
