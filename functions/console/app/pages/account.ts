import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { deleteSession, listSessions } from '../../../sessions/contracts.ts';
import type {
  createPersonalAccessToken,
  deletePersonalAccessToken,
  listPersonalAccessTokens,
} from '../../../tokens/contracts.ts';
import type { updateUser } from '../../../users/contracts.ts';
import { change, get, part, signOut } from '../api.ts';
import { Action, el, h, Lines, loadedView, table, useLoaded } from '../elements.ts';
import { Form, field } from '../forms.ts';
import { timeText, words } from '../words.ts';
import type { Me } from './home.ts';

const dayMilliseconds = 86_400_000;

const inDays = (days: string): string | null =>
  days === '' ? null : new Date(Date.now() + Number(days) * dayMilliseconds).toISOString();

const path = '/1/users/personal-access-tokens';

const Tokens = (): VNode => {
  const loaded = useLoaded(() => get<typeof listPersonalAccessTokens>(path), []);
  const [created, setCreated] = useState<string | undefined>(undefined);
  const create = async ({ name = '', days = '' }: Readonly<Record<string, string>>) => {
    const body = { name, expirationDate: inDays(days) };
    setCreated((await change<typeof createPersonalAccessToken>('POST', path, body)).token);
    loaded.reload();
  };
  const removal = (id: string, name: string) =>
    h(Action, {
      label: words.remove,
      danger: true,
      about: name,
      question: words.sure(name),
      run: () => change<typeof deletePersonalAccessToken>('DELETE', `${path}/${part(id)}`).then(loaded.reload),
    });
  return el(
    'section',
    null,
    el('h2', null, words.tokens),
    loadedView(loaded, (tokens) =>
      tokens.length === 0
        ? el('p', null, words.noToken)
        : table(
            words.tokens,
            [words.name, words.expires, words.lastUsed, words.remove],
            tokens.map(({ id, name, expirationDate, lastUsedAt }) => [
              name,
              expirationDate ? timeText(expirationDate) : words.never,
              lastUsedAt ? timeText(lastUsedAt) : words.never,
              removal(id, name),
            ]),
          ),
    ),
    el('h3', null, words.newToken),
    h(
      Form,
      { label: words.create, run: create },
      field(words.name, { name: 'name', required: true, maxLength: 100 }),
      field(words.days, { name: 'days', type: 'number', min: 1, max: 3650 }),
    ),
    created !== undefined &&
      el('div', { role: 'status' }, el('p', null, words.onlyOnce), h(Lines, { title: words.newToken, text: created })),
  );
};

const Sessions = (): VNode => {
  const loaded = useLoaded(() => get<typeof listSessions>('/1/users/me/sessions'), []);
  const end = (id: string, began: string, isCurrent: boolean) =>
    h(Action, {
      label: words.end,
      danger: true,
      about: timeText(began),
      run: () =>
        isCurrent
          ? signOut()
          : change<typeof deleteSession>('DELETE', `/1/users/me/sessions/${part(id)}`).then(loaded.reload),
    });
  return el(
    'section',
    null,
    el('h2', null, words.sessions),
    loadedView(loaded, (sessions) =>
      table(
        words.sessions,
        [words.began, words.address, words.browser, words.end],
        sessions.map(({ id, createdAt, sourceAddress, userAgent, isCurrent }) => [
          timeText(createdAt),
          sourceAddress,
          isCurrent ? `${words.thisOne}: ${userAgent}` : userAgent,
          end(id, createdAt, isCurrent),
        ]),
      ),
    ),
  );
};

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
export const Account = ({ me }: { readonly me: Me }): VNode =>
  el(
    'main',
    null,
    el('h1', null, words.account),
    el('p', null, `${words.yourId}: `, el('code', null, me.userId)),
    h(Tokens, {}),
    h(Sessions, {}),
    h(Password, {}),
  );
