import { endpoint } from '../../shared/http/endpoint.ts';
import { listAllUsers } from '../../shared/table/identity/users.ts';
import { listUsers } from './contracts.ts';
import { userRecord } from './record.ts';

export const handler = endpoint(listUsers, async ({ table, page }) => listAllUsers(table, page, userRecord));
