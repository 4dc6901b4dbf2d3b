import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type {
  addMemberToRepositories,
  listWorkspaceMembers,
  removeRepositoryMember,
} from '../../../members/contracts.ts';
import type { listRepositories } from '../../../repositories/contracts.ts';
import { change, getPage, part, type Result } from '../api.ts';
import { Action, el, h, link, loadedView, useLoaded } from '../elements.ts';
import { type Level, levels, levelsOf } from '../levels.ts';
import { usePages } from '../lists.ts';
import { addressOf } from '../routes.ts';
import { words } from '../words.ts';

export type Member = Result<typeof listWorkspaceMembers>[number];

/** How many repositories a request brings: each is a column. */
const columnsAtOnce = 20;

interface RowProps {
  readonly workspace: string;
  readonly member: Member;
  readonly repositories: readonly string[];
}

const pathOf = (workspace: string) => `/1/workspaces/${part(workspace)}/repositories` as const;

/** Gives a member the new levels in one request, all or nothing, and takes those away that shall be none. */
const save = async ({ workspace, member: { userId } }: RowProps, wanted: ReadonlyMap<string, Level | ''>) => {
  const given = [...wanted].flatMap(([repositoryReference, level]) =>
    level === '' ? [] : [{ repositoryReference, repositoryPermissionLevel: level }],
  );
  const path = pathOf(workspace);
  if (given.length > 0)
    await change<typeof addMemberToRepositories>('POST', `${path}/members/batch`, { userId, repositories: given });
  for (const [name, level] of wanted)
    if (level === '')
      await change<typeof removeRepositoryMember>('DELETE', `${path}/${part(name)}/members/${part(userId)}`);
};

/** The levels of one member, each to be changed, and a button that saves them. */
const Row = (props: RowProps): VNode => {
  const { workspace, member, repositories } = props;
  const loaded = useLoaded(() => levelsOf(workspace, member.userId), [workspace, member.userId]);
  const [saved, setSaved] = useState<ReadonlyMap<string, Level | ''>>(new Map());
  const [wanted, setWanted] = useState<ReadonlyMap<string, Level | ''>>(new Map());
  const choose = (name: string, held: Level | '', level: Level | '') => {
    const next = new Map(wanted);
    if (level === held) next.delete(name);
    else next.set(name, level);
    setWanted(next);
  };
  const cell = (name: string, held: Level | '') =>
    el(
      'select',
      {
        'aria-label': words.levelOn(member.username, name),
        value: wanted.get(name) ?? held,
        onChange: (event: Event) => choose(name, held, (event.target as HTMLSelectElement).value as Level | ''),
      },
      ['', ...levels].map((level) => el('option', { value: level, key: level }, level || words.noLevel)),
    );
  const run = async () => {
    await save(props, wanted);
    setSaved(new Map([...saved, ...wanted]));
    setWanted(new Map());
  };
  return el(
    'tr',
    null,
    el('th', { scope: 'row' }, link(addressOf(workspace, ':members', member.username), member.username)),
    repositories.map((name) =>
      el(
        'td',
        { key: name },
        loadedView(loaded, (held) => cell(name, saved.get(name) ?? held.get(name) ?? '')),
      ),
    ),
    el('td', null, wanted.size > 0 && h(Action, { label: words.save, about: member.username, run })),
  );
};

/** Who may do what: a row for each member, a column for each repository. */
export const Matrix = ({
  workspace,
  members,
}: {
  readonly workspace: string;
  readonly members: readonly Member[];
}): VNode | null => {
  const pages = usePages(
    (next) => getPage<typeof listRepositories>(`${pathOf(workspace)}?${next ?? `limit=${columnsAtOnce}`}`),
    [workspace],
  );
  const repositories = (pages.items ?? []).map(({ name }) => name);
  if (repositories.length === 0) return null;
  return el(
    'section',
    null,
    el('h2', null, words.levels),
    el('p', { class: 'hint' }, words.adminsNeedNone),
    el(
      'div',
      { class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': words.levels },
      el(
        'table',
        null,
        el(
          'thead',
          null,
          el(
            'tr',
            null,
            [words.member, ...repositories, words.save].map((head) => el('th', { scope: 'col', key: head }, head)),
          ),
        ),
        el(
          'tbody',
          null,
          members.map((member) => h(Row, { key: member.userId, workspace, member, repositories })),
        ),
      ),
    ),
    pages.more && el('p', null, el('button', { type: 'button', onClick: pages.more }, words.moreRepositories)),
  );
};
