import { endpoint } from '../../shared/http/endpoint.ts';
import { listAllUsers } from '../../shared/table/users.ts';
import { listUsers } from './contracts.ts';
import { userRecord } from './record.ts';

export const handler = endpoint(listUsers, async ({ table, page }) => {
  const { entries, more } = await listAllUsers(table, page);
  return { entries: entries.map(({ position, item }) => ({ position, item: userRecord(item) })), more };
});
