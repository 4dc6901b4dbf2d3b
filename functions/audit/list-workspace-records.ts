import { endpoint } from '../../shared/http/endpoint.ts';
import { recordsList } from '../../shared/table/keys.ts';
import { listChanges } from '../../shared/table/record-lists.ts';
import { listWorkspaceRecords } from './contracts.ts';
import { changeRecord, filtersOf, namedRepositoryKeys } from './record.ts';

export const handler = endpoint(
  listWorkspaceRecords,
  async ({ workspace: { workspaceId }, query, page, loaded, table }) =>
    listChanges(table, [recordsList(workspaceId)], filtersOf(query, workspaceId, loaded), page, changeRecord),
  { alsoRead: ({ workspaceId, query }) => namedRepositoryKeys(workspaceId, query.repository) },
);
