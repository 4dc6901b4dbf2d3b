import { endpoint } from '../../shared/http/endpoint.ts';
import { listTrustsOf } from '../../shared/table/identity/trusts.ts';
import { listTrusts } from './contracts.ts';
import { trustRecord } from './record.ts';

export const handler = endpoint(listTrusts, async ({ workspace: { workspaceId }, table, page }) =>
  listTrustsOf(table, workspaceId, page, trustRecord),
);
