import type { QueryOf } from '../../shared/http/contract.ts';
import type { Infer } from '../../shared/http/schema.ts';
import { timesInQuery } from '../../shared/http/times.ts';
import type { ChangeRecord } from '../../shared/table/changes.ts';
import type { RecordFilters } from '../../shared/table/record-lists.ts';
import type { changeRecordSchema, listWorkspaceRecords } from './contracts.ts';

type Wire = Infer<typeof changeRecordSchema>;

/** The wire record of a change: null where the stored text is empty. */
export const changeRecord = (record: ChangeRecord): Wire => {
  const { recordId, recordedAt, action, actor, target, repositoryId, repositoryName } = record;
  return {
    id: recordId,
    recordedAt,
    action,
    actor: { ...actor, tokenId: actor.tokenId || null },
    sourceAddress: record.sourceAddress || null,
    requestId: record.requestId || null,
    operation: record.operation || null,
    workspaceId: record.workspaceId || null,
    repository: repositoryId ? { id: repositoryId, name: repositoryName } : null,
    target: { id: target.id || null, name: target.name },
    before: JSON.parse(record.before) as Wire['before'],
    after: JSON.parse(record.after) as Wire['after'],
  };
};

/** The filters of a query. */
export const filtersOf = (query: NonNullable<QueryOf<typeof listWorkspaceRecords>>): RecordFilters => {
  const { actor, repository, action } = query;
  return { actor, repository, action, ...timesInQuery(query, ['from', 'to']) };
};
