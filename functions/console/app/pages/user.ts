import type { VNode } from 'preact';
import type { getUser, updateUser } from '../../../users/contracts.ts';
import { change, get, part } from '../api.ts';
import { Action, crumbs, el, facts, h, link, loadedView, useLoaded } from '../elements.ts';
import { addressOf } from '../routes.ts';
import { timeText } from '../texts.ts';
import { words } from '../words.ts';
import type { Me } from './home.ts';
import { SessionPage, Sessions } from './sessions.ts';
import { TokensOf } from './tokens.ts';

/** Disables or enables a user; for System Admins. */
export const turn = (
  { id, username, disabled }: { readonly id: string; readonly username: string; readonly disabled: boolean },
  after: () => void,
): VNode =>
  h(Action, {
    label: disabled ? words.enable : words.disable,
    about: username,
    danger: !disabled,
    run: () => change<typeof updateUser>('PATCH', `/1/users/${part(id)}`, { disabled: !disabled }).then(after),
  });

/** One user, by name or ID, with their tokens and sessions; for System Admins. */
export const UserPage = ({
  me,
  name,
  shown: [list, id],
}: {
  readonly me: Me;
  readonly name: string;
  readonly shown: readonly string[];
}): VNode => {
  const loaded = useLoaded(() => get<typeof getUser>(`/1/users/${part(name)}`), [name]);
  const holder = { user: name, at: [':users', name] } as const;
  if (list === ':sessions' && id !== undefined) return h(SessionPage, { key: id, ...holder, id });
  return el(
    'main',
    null,
    crumbs(link(addressOf(':users'), words.users)),
    el('h1', null, name),
    loadedView(loaded, (user) => [
      facts(words.user, [
        [words.userId, el('code', null, user.id)],
        [words.role, user.userRole],
        [words.created, timeText(user.createdAt)],
        [words.state, user.disabled ? words.disabled : words.active],
      ]),
      user.id === me.userId ? el('p', { class: 'hint' }, words.thisIsYou) : turn(user, loaded.reload),
      h(TokensOf, { user: user.id }),
      h(Sessions, { ...holder, user: user.id }),
    ]),
  );
};
