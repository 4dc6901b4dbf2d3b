import { endpoint } from '../../shared/http/endpoint.ts';
import { activeAdminsKey } from '../../shared/table/keys.ts';
import { getReadiness } from './contracts.ts';

export const handler = endpoint(getReadiness, async ({ table }) => {
  await table.read([activeAdminsKey]);
  return { status: 'ready' as const };
});
