import { invalid } from '../../shared/errors.ts';
import type { QueryOf } from '../../shared/http/contract.ts';
import type { Infer } from '../../shared/http/schema.ts';
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

const timeOf = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  // The contract checks the form, and nobody the calendar.
  if (Number.isNaN(time))
    throw invalid([
      { pointer: '', rule: 'calendar', message: `The query parameter ${name} must be a time that exists.` },
    ]);
  return time;
};

/** The filters of a query. */
export const filtersOf = ({
  actor,
  repository,
  action,
  from,
  to,
}: NonNullable<QueryOf<typeof listWorkspaceRecords>>): RecordFilters => ({
  actor,
  repository,
  action,
  from: timeOf('from', from),
  to: timeOf('to', to),
});
