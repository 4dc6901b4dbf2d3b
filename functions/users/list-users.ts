import { endpoint } from '../../shared/http/endpoint.ts';
import { mapEntries } from '../../shared/table/lists.ts';
import { listAllUsers } from '../../shared/table/users.ts';
import { listUsers } from './contracts.ts';
import { userRecord } from './record.ts';

export const handler = endpoint(listUsers, async ({ table, page }) =>
  mapEntries(await listAllUsers(table, page), userRecord),
);
