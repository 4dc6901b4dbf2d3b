import type { VNode } from 'preact';
import type {
  addMemberToRepositories,
  addWorkspaceMember,
  listWorkspaceMembers,
  removeWorkspaceMember,
} from '../../../members/contracts.ts';
import type { listRepositories } from '../../../repositories/contracts.ts';
import { change, getPage, type Page, part, type Result } from '../api.ts';
import { Action, choice, el, Form, field, h, Lines, pagesView, usePages } from '../elements.ts';
import { words } from '../words.ts';
import { administers, curlLine, type Me, pageSize } from './home.ts';
import { frame } from './workspace.ts';

type Member = Result<typeof listWorkspaceMembers>[number];
type Role = Member['role'];
type Level = Result<typeof addMemberToRepositories>['repositories'][number]['repositoryPermissionLevel'];

const roles: readonly Role[] = ['member', 'admin'];
const levels: readonly Level[] = ['canView', 'canDeploy', 'canManage'];

interface AdminProps {
  readonly workspace: string;
  readonly reload: () => void;
}

const NewMember = ({ workspace, reload }: AdminProps): VNode => {
  const run = async ({ userId = '', role = 'member' }: Readonly<Record<string, string>>) => {
    const path = `/1/workspaces/${part(workspace)}/members` as const;
    await change<typeof addWorkspaceMember>('POST', path, { userId, role: role as Role });
    reload();
  };
  return el(
    'section',
    null,
    el('h2', null, words.newMember),
    h(
      Form,
      { label: words.add, run },
      field(words.userId, { name: 'userId', required: true }),
      choice(words.role, { name: 'role' }, roles),
    ),
    el('p', { class: 'hint' }, words.whereUserId),
  );
};

/** Gives a member a level on several repositories at once. */
const Levels = ({ workspace, members }: { readonly workspace: string; readonly members: readonly Member[] }): VNode => {
  const at = `/1/workspaces/${part(workspace)}/repositories` as const;
  const repositories = usePages(
    (next): Promise<Page<Result<typeof listRepositories>[number]>> =>
      getPage<typeof listRepositories>(`${at}?${next ?? `limit=${pageSize}`}`),
    [workspace],
  );
  const names = (repositories.items ?? []).map(({ name }) => name);
  const run = async ({ userId = '', level = '', ...checked }: Readonly<Record<string, string>>) => {
    const chosen = names.filter((name) => checked[`on ${name}`] !== undefined);
    await change<typeof addMemberToRepositories>('POST', `${at}/members/batch`, {
      userId,
      repositories: chosen.map((name) => ({ repositoryReference: name, repositoryPermissionLevel: level as Level })),
    });
  };
  const box = (name: string) =>
    el('label', { class: 'box', key: name }, el('input', { type: 'checkbox', name: `on ${name}` }), name);
  return el(
    'section',
    null,
    el('h2', null, words.levels),
    h(
      Form,
      { label: words.give, run, done: words.given },
      el(
        'label',
        null,
        words.member,
        el(
          'select',
          { name: 'userId' },
          members.map(({ userId, username }) => el('option', { value: userId, key: userId }, username)),
        ),
      ),
      choice(words.level, { name: 'level' }, levels),
      el('fieldset', null, el('legend', null, words.repositories), names.map(box)),
    ),
  );
};

/** Who belongs to a workspace; its admins add and remove members, and give them levels. */
export const Members = ({ me, workspace }: { readonly me: Me; readonly workspace: string }): VNode => {
  const path = `/1/workspaces/${part(workspace)}/members` as const;
  const pages = usePages(
    (next) => getPage<typeof listWorkspaceMembers>(`${path}?${next ?? `limit=${pageSize}`}`),
    [workspace],
  );
  const mayChange = administers(me, workspace);
  const removal = ({ userId, username }: Member) =>
    h(Action, {
      label: words.remove,
      about: username,
      danger: true,
      question: words.sure(username),
      run: () => change<typeof removeWorkspaceMember>('DELETE', `${path}/${part(userId)}`).then(pages.reload),
    });
  const plain = (pages.items ?? []).filter(({ role }) => role === 'member');
  return frame(
    { me, workspace, here: ':members' },
    pagesView(
      pages,
      {
        label: words.members,
        heads: [words.username, words.role, ...(mayChange ? [words.remove] : [])],
        row: (each) => [each.username, each.role, ...(mayChange ? [removal(each)] : [])],
      },
      [
        el('p', null, words.noMember),
        mayChange && h(Lines, { title: 'curl', text: curlLine(path.slice(1), { userId: me.userId, role: 'member' }) }),
      ],
    ),
    mayChange && h(NewMember, { workspace, reload: pages.reload }),
    mayChange && plain.length > 0 && h(Levels, { workspace, members: plain }),
  );
};
