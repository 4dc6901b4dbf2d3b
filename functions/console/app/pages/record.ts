import type { ComponentChildren, VNode } from 'preact';
import type { listWorkspaceRecords } from '../../../audit/contracts.ts';
import { get, part, type Result } from '../api.ts';
import { crumbs, el, facts, link, loadedView, useLoaded } from '../elements.ts';
import { addressOf } from '../routes.ts';
import { timeText } from '../texts.ts';
import { words } from '../words.ts';

type Recorded = Result<typeof listWorkspaceRecords>[number];

/** The most records that a request brings. More are never made within a millisecond. */
const recordsMax = 1000;

/** The address of a record: its time finds it, its ID says which of that time it is. */
export const addressOfRecord = (workspace: string, { recordedAt, id }: Recorded): string =>
  addressOf(workspace, ':records', recordedAt, id);

const state = (fields: Recorded['before']): ComponentChildren =>
  fields === null ? '–' : el('pre', { tabIndex: 0 }, JSON.stringify(fields, null, 2));

const factsOf = (record: Recorded): VNode => {
  const { recordedAt, actor, action, target, repository, sourceAddress, operation, requestId } = record;
  return facts(words.record, [
    [words.when, timeText(recordedAt)],
    [words.who, `${actor.name} (${actor.kind})`],
    [words.action, action],
    [words.target, target.name],
    [words.repository, repository?.name ?? '–'],
    [words.address, sourceAddress],
    [words.operation, operation],
    [words.requestId, el('code', null, requestId)],
    [words.before, state(record.before)],
    [words.after, state(record.after)],
  ]);
};

/** One record, with what was before and after. */
export const RecordPage = ({
  workspace,
  time,
  id,
}: {
  readonly workspace: string;
  readonly time: string;
  readonly id: string;
}): VNode => {
  const query = new URLSearchParams({ from: time, to: time, limit: `${recordsMax}` }).toString();
  const path = `/1/workspaces/${part(workspace)}/audit?${query}` as const;
  const loaded = useLoaded(async () => {
    const found = await get<typeof listWorkspaceRecords>(path);
    return found.find((record) => record.id === id) ?? null;
  }, [path, id]);
  return el(
    'main',
    null,
    crumbs(link(addressOf(workspace), workspace), link(addressOf(workspace, ':records'), words.records)),
    el('h1', null, words.record),
    loadedView(loaded, (record) => (record ? factsOf(record) : el('p', { role: 'alert' }, words.noRecord))),
  );
};
