import type { VNode } from 'preact';
import { actions } from '../../../../shared/change-actions.ts';
import type { listWorkspaceRecords } from '../../../audit/contracts.ts';
import { getPage, part } from '../api.ts';
import { el, h, link } from '../elements.ts';
import { choice, field } from '../forms.ts';
import { pagesView, usePages } from '../lists.ts';
import { useQuery } from '../routes.ts';
import { timeText } from '../texts.ts';
import { words } from '../words.ts';
import { addressOfRecord, RecordPage } from './record.ts';
import { frame, mayBeThere, type WorkspaceProps } from './workspace.ts';

/** How long the page waits for the next letter of a filter, in milliseconds. */
const typingMilliseconds = 250;

const filterNames = ['actor', 'repository', 'action'] as const;
type Filters = Readonly<Partial<Record<(typeof filterNames)[number], string>>>;

/** The query of the first page of records. */
const queryOf = (filters: Filters): string =>
  new URLSearchParams(filterNames.flatMap((name) => (filters[name] ? [[name, filters[name]]] : []))).toString();

/** Who changed what in a workspace, newest first. */
const List = ({ me, workspace }: Omit<WorkspaceProps, 'shown'>): VNode => {
  const [filters, setFilters] = useQuery();
  const query = queryOf(filters);
  const path = `/1/workspaces/${part(workspace)}/audit` as const;
  const pages = usePages(
    (next) => getPage<typeof listWorkspaceRecords>(`${path}?${next ?? query}`),
    [workspace, query],
    query ? typingMilliseconds : 0,
  );
  const setTo = (name: keyof Filters) => ({
    defaultValue: filters[name],
    onInput: (event: Event) => setFilters({ ...filters, [name]: (event.target as HTMLInputElement).value }),
  });
  return frame(
    { me, workspace, here: ':records' },
    mayBeThere(pages.error) &&
      el(
        'div',
        { class: 'filters' },
        field(words.exactActor, setTo('actor')),
        field(words.exactRepository, setTo('repository')),
        choice(words.action, setTo('action'), ['', ...actions], words.anyAction),
      ),
    pagesView(
      pages,
      {
        label: words.records,
        heads: [words.when, words.who, words.action, words.target, words.repository, words.address],
        row: (record) => [
          link(addressOfRecord(workspace, record), timeText(record.recordedAt)),
          record.actor.name,
          record.action,
          record.target.name,
          record.repository?.name,
          record.sourceAddress,
        ],
        isEndless: true,
      },
      el('p', null, words.noRecord),
    ),
  );
};

/** The records of a workspace, or the one that is shown. */
export const Records = ({ me, workspace, shown: [time, id] }: WorkspaceProps): VNode =>
  time === undefined || id === undefined ? h(List, { me, workspace }) : h(RecordPage, { key: id, workspace, time, id });
