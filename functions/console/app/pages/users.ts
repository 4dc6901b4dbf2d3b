import type { VNode } from 'preact';
import type { createUser, listUsers } from '../../../users/contracts.ts';
import { change, getPage, type Result } from '../api.ts';
import { crumbs, el, h, Lines, link } from '../elements.ts';
import { choice, Form, field } from '../forms.ts';
import { pagesView, usePages } from '../lists.ts';
import { addressOf } from '../routes.ts';
import { timeText } from '../texts.ts';
import { words } from '../words.ts';
import { curlLine, type Me, membersAtOnce } from './home.ts';
import { turn } from './user.ts';

type User = Result<typeof listUsers>[number];

const roles: readonly User['userRole'][] = ['user', 'system-admin'];

const NewUser = ({ reload }: { readonly reload: () => void }): VNode => {
  const run = async ({ username = '', password = '', userRole = 'user' }: Readonly<Record<string, string>>) => {
    await change<typeof createUser>('POST', '/1/users', { username, password, userRole: userRole as User['userRole'] });
    reload();
  };
  return el(
    'section',
    null,
    el('h2', null, words.newUser),
    h(
      Form,
      { label: words.create, run, done: words.userCreated },
      field(words.username, { name: 'username', required: true }),
      field(words.firstPassword, { name: 'password', type: 'password', required: true, autocomplete: 'new-password' }),
      choice(words.role, { name: 'userRole' }, roles),
    ),
    h(Lines, { title: 'curl', text: curlLine('1/users', { username: 'robin', password: '…' }) }),
  );
};

/** Everybody who can sign in; for System Admins. */
export const Users = ({ me }: { readonly me: Me }): VNode => {
  const pages = usePages((next) => getPage<typeof listUsers>(`/1/users?${next ?? `limit=${membersAtOnce}`}`), []);
  return el(
    'main',
    null,
    crumbs(link(addressOf(), words.workspaces)),
    el('h1', null, words.users),
    pagesView(
      pages,
      {
        label: words.users,
        heads: [words.username, words.userId, words.role, words.created, words.state],
        row: (user) => [
          link(addressOf(':users', user.username), user.username),
          el('code', null, user.id),
          user.userRole,
          timeText(user.createdAt),
          user.id === me.userId ? words.thisIsYou : turn(user, pages.reload),
        ],
      },
      el('p', null, words.noUser),
    ),
    me.userRole === 'system-admin' && h(NewUser, { reload: pages.reload }),
  );
};
