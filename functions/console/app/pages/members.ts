import type { VNode } from 'preact';
import type { addWorkspaceMember, listWorkspaceMembers } from '../../../members/contracts.ts';
import { change, getPage, part } from '../api.ts';
import { el, h, Lines, link } from '../elements.ts';
import { choice, Form, field } from '../forms.ts';
import { pagesView, usePages } from '../lists.ts';
import { addressOf } from '../routes.ts';
import { words } from '../words.ts';
import { administers, curlLine, membersAtOnce } from './home.ts';
import { Matrix, type Member } from './matrix.ts';
import { MemberPage, removal } from './member.ts';
import { frame, mayBeThere, type WorkspaceProps } from './workspace.ts';

type Role = Member['role'];

const roles: readonly Role[] = ['member', 'admin'];

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
      el('p', { class: 'hint' }, words.whereUserId),
      choice(words.role, { name: 'role' }, roles),
    ),
  );
};

/** Who belongs to a workspace; its admins add and remove members, and give them levels. */
const Everybody = ({ me, workspace }: Omit<WorkspaceProps, 'shown'>): VNode => {
  const path = `/1/workspaces/${part(workspace)}/members` as const;
  const pages = usePages(
    (next) => getPage<typeof listWorkspaceMembers>(`${path}?${next ?? `limit=${membersAtOnce}`}`),
    [workspace],
  );
  const mayChange = administers(me, workspace) && mayBeThere(pages.error);
  const plain = (pages.items ?? []).filter(({ role }) => role === 'member');
  return frame(
    { me, workspace, here: ':members' },
    pagesView(
      pages,
      {
        label: words.members,
        heads: [words.username, words.role, ...(mayChange ? [words.remove] : [])],
        row: (each) => [
          link(addressOf(workspace, ':members', each.username), each.username),
          each.role,
          ...(mayChange ? [removal(workspace, each, pages.reload)] : []),
        ],
      },
      [
        el('p', null, words.noMember),
        mayChange && h(Lines, { title: 'curl', text: curlLine(path.slice(1), { userId: me.userId, role: 'member' }) }),
      ],
    ),
    mayChange && plain.length > 0 && h(Matrix, { workspace, members: plain }),
    mayChange && h(NewMember, { workspace, reload: pages.reload }),
  );
};

/** The members of a workspace, or the one who is shown. */
export const Members = ({ me, workspace, shown: [name] }: WorkspaceProps): VNode =>
  name === undefined ? h(Everybody, { me, workspace }) : h(MemberPage, { key: name, me, workspace, name });
