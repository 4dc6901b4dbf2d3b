import { endpoint } from '../../shared/http/endpoint.ts';
import { recordsList } from '../../shared/table/keys.ts';
import { allRecords, listChanges } from '../../shared/table/record-lists.ts';
import { listRecords } from './contracts.ts';
import { changeRecord, filtersOf, namedRepositoryKeys } from './record.ts';

export const handler = endpoint(
  listRecords,
  async ({ query, page, loaded, table }) => {
    const lists = query.workspace === undefined ? allRecords : [recordsList(query.workspace.toLowerCase())];
    return listChanges(table, lists, filtersOf(query, query.workspace, loaded), page, changeRecord);
  },
  { alsoRead: ({ query }) => namedRepositoryKeys(query.workspace, query.repository) },
);
