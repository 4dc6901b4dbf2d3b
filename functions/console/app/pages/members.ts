import type { VNode } from 'preact';
import type { addWorkspaceMember, listWorkspaceMembers, removeWorkspaceMember } from '../../../members/contracts.ts';
import { change, getPage, part } from '../api.ts';
import { Action, el, h, Lines, pagesView, usePages } from '../elements.ts';
import { choice, Form, field } from '../forms.ts';
import { words } from '../words.ts';
import { administers, curlLine, type Me, membersAtOnce } from './home.ts';
import { Matrix, type Member } from './matrix.ts';
import { frame } from './workspace.ts';

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
      choice(words.role, { name: 'role' }, roles),
    ),
    el('p', { class: 'hint' }, words.whereUserId),
  );
};

/** Who belongs to a workspace; its admins add and remove members, and give them levels. */
export const Members = ({ me, workspace }: { readonly me: Me; readonly workspace: string }): VNode => {
  const path = `/1/workspaces/${part(workspace)}/members` as const;
  const pages = usePages(
    (next) => getPage<typeof listWorkspaceMembers>(`${path}?${next ?? `limit=${membersAtOnce}`}`),
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
    mayChange && plain.length > 0 && h(Matrix, { workspace, members: plain }),
    mayChange && h(NewMember, { workspace, reload: pages.reload }),
  );
};
