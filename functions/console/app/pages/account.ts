import type { VNode } from 'preact';
import type { updateUser } from '../../../users/contracts.ts';
import { change, signOut } from '../api.ts';
import { el, h } from '../elements.ts';
import { Form, field } from '../forms.ts';
import { words } from '../words.ts';
import type { Me } from './home.ts';
import { SessionPage, Sessions } from './sessions.ts';
import { OwnTokens, TokenPage } from './tokens.ts';

const mine = { user: 'me', at: [':account'] } as const;

const Password = (): VNode =>
  el(
    'section',
    null,
    el('h2', null, words.changePassword),
    el('p', { class: 'hint' }, words.passwordEndsAll),
    h(
      Form,
      {
        label: words.change,
        run: ({ currentPassword = '', password = '' }) =>
          change<typeof updateUser>('PATCH', '/1/users/me', { currentPassword, password }).then(signOut),
      },
      field(words.password, {
        name: 'currentPassword',
        type: 'password',
        required: true,
        autocomplete: 'current-password',
      }),
      field(words.newPassword, { name: 'password', type: 'password', required: true, autocomplete: 'new-password' }),
    ),
  );

/** One's own tokens, sessions and password. */
const Overview = ({ me }: { readonly me: Me }): VNode =>
  el(
    'main',
    null,
    el('h1', null, words.account),
    el('p', null, `${words.yourId}: `, el('code', null, me.userId)),
    h(OwnTokens, {}),
    h(Sessions, mine),
    h(Password, {}),
  );

/** The account, or one of its tokens or sessions. */
export const Account = ({ me, shown: [list, id] }: { readonly me: Me; readonly shown: readonly string[] }): VNode => {
  if (list === ':tokens' && id !== undefined) return h(TokenPage, { key: id, id });
  if (list === ':sessions' && id !== undefined) return h(SessionPage, { key: id, ...mine, id });
  return h(Overview, { me });
};
