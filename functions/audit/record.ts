import type { QueryOf } from '../../shared/http/contract.ts';
import type { Infer } from '../../shared/http/schema.ts';
import { timesInQuery } from '../../shared/http/times.ts';
import type { ChangeRecord } from '../../shared/table/changes.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { type Entry, type Key, repositoryNameKey } from '../../shared/table/keys.ts';
import type { RecordFilters } from '../../shared/table/record-lists.ts';
import { idOf, nameOf } from '../../shared/table/references.ts';
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

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The key that leads to the repository whose name is in a query. Grants, tokens and trusts concern its ID alone. */
export const namedRepositoryKeys = (workspace: unknown, repository: unknown): readonly Key<Entry>[] => {
  const [workspaceId, name] = [idOf(textIn(workspace)), nameOf(textIn(repository))];
  return workspaceId === undefined || name === undefined ? [] : [repositoryNameKey(workspaceId, name)];
};

/** A reference as it was sent, which may be the name of a token, and as an ID is stored. */
const textsOf = (reference: string): readonly string[] => [reference, idOf(reference) ?? reference];

/** The filters of a query about the changes in a workspace, or in all of them. */
export const filtersOf = (
  query: NonNullable<QueryOf<typeof listWorkspaceRecords>>,
  workspaceId: string | undefined,
  loaded: IdentityMap,
): RecordFilters => {
  const { actor, repository, action } = query;
  const named = namedRepositoryKeys(workspaceId, repository).flatMap((key) => loaded.find(key)?.id ?? []);
  return {
    actor: actor === undefined ? undefined : textsOf(actor),
    repository: repository === undefined ? undefined : [...textsOf(repository), ...named],
    action,
    ...timesInQuery(query, ['from', 'to']),
  };
};
