import type { VNode } from 'preact';
import type { getWorkspaceMember, removeWorkspaceMember } from '../../../members/contracts.ts';
import { change, get, part } from '../api.ts';
import { Action, crumbs, el, facts, h, link, loadedView, useLoaded } from '../elements.ts';
import { addressOf } from '../routes.ts';
import { words } from '../words.ts';
import { administers, type Me } from './home.ts';
import { Matrix, type Member } from './matrix.ts';

/** Takes a member out of a workspace; for its admins. */
export const removal = (workspace: string, { userId, username }: Member, after: () => void): VNode =>
  h(Action, {
    label: words.remove,
    about: username,
    danger: true,
    question: words.sure(username),
    run: () =>
      change<typeof removeWorkspaceMember>('DELETE', `/1/workspaces/${part(workspace)}/members/${part(userId)}`).then(
        after,
      ),
  });

/** One member, by name or ID, with their levels for those who may see them. */
export const MemberPage = ({
  me,
  workspace,
  name,
}: {
  readonly me: Me;
  readonly workspace: string;
  readonly name: string;
}): VNode => {
  const path = `/1/workspaces/${part(workspace)}/members/${part(name)}` as const;
  const loaded = useLoaded(() => get<typeof getWorkspaceMember>(path), [path]);
  const mayChange = administers(me, workspace);
  const leave = () => {
    location.hash = addressOf(workspace, ':members');
  };
  return el(
    'main',
    null,
    crumbs(link(addressOf(workspace), workspace), link(addressOf(workspace, ':members'), words.members)),
    el('h1', null, name),
    loadedView(loaded, (member) => [
      facts(words.member, [
        [words.userId, el('code', null, member.userId)],
        [words.role, member.role],
      ]),
      mayChange && member.role === 'member' && h(Matrix, { workspace, members: [member] }),
      mayChange && el('p', null, removal(workspace, member, leave)),
    ]),
  );
};
