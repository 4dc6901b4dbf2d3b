import { endpoint } from '../../shared/http/endpoint.ts';
import { recordsList } from '../../shared/table/keys.ts';
import { listChanges } from '../../shared/table/record-lists.ts';
import { listWorkspaceRecords } from './contracts.ts';
import { changeRecord, filtersOf } from './record.ts';

export const handler = endpoint(listWorkspaceRecords, async ({ workspace, query, page, table }) =>
  listChanges(table, [recordsList(workspace.workspaceId)], filtersOf(query), page, changeRecord),
);
