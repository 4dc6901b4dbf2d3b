import { render, type VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { getCurrentUser } from '../../users/contracts.ts';
import { base, beginSession, get, onSession, resume, type SessionState, signOut } from './api.ts';
import { Action, el, h, link, loadedView, useLoaded } from './elements.ts';
import { Form, field } from './forms.ts';
import { answerTexts } from './markdown-worker.ts';
import { Account } from './pages/account.ts';
import { type Me, Workspaces } from './pages/home.ts';
import { Members } from './pages/members.ts';
import { Package } from './pages/package.ts';
import { Packages } from './pages/packages.ts';
import { Records } from './pages/records.ts';
import { Repositories } from './pages/repositories.ts';
import { Trusts } from './pages/trusts.ts';
import { Usage } from './pages/usage.ts';
import { UserPage } from './pages/user.ts';
import { Users } from './pages/users.ts';
import { Verdicts } from './pages/verdicts.ts';
import { addressOf, useAddress } from './routes.ts';
import { words } from './words.ts';

/** The pages of a workspace that are about no repository of it. */
const pagesOfWorkspace: ReadonlyMap<string, typeof Members> = new Map([
  [':members', Members],
  [':usage', Usage],
  [':records', Records],
  [':trusts', Trusts],
  [':verdicts', Verdicts],
]);

const usersPage = (me: Me, [name, ...shown]: readonly string[]): VNode =>
  name === undefined ? h(Users, { me }) : h(UserPage, { key: name, me, name, shown });

/** The page of an address within a workspace. */
const pageInWorkspace = (me: Me, workspace: string, [repository, ...rest]: readonly string[]): VNode => {
  if (repository === undefined) return h(Repositories, { key: workspace, me, workspace });
  const key = [workspace, repository, ...rest].join(' ');
  const inWorkspace = pagesOfWorkspace.get(repository);
  if (inWorkspace) return h(inWorkspace, { key: `${workspace} ${repository}`, me, workspace, shown: rest });
  const [name, version, file] = rest;
  const place = { workspace, repository };
  if (name === undefined) return h(Packages, { key, me, place });
  return h(Package, { key, me, shown: { ...place, name, version, file } });
};

/** The page of an address. No workspace is called `:account`, because its name would not be allowed. */
const pageOf = (me: Me, [first, ...rest]: readonly string[]): VNode => {
  if (first === undefined) return h(Workspaces, { me });
  if (first === accountPart) return h(Account, { me, shown: rest });
  if (first === usersPart) return usersPage(me, rest);
  return pageInWorkspace(me, first, rest);
};

const accountPart = ':account';
const usersPart = ':users';

/** Moves the focus to an element that nobody reaches with the Tab key. */
const focusOn = (element: HTMLElement | null): void => {
  element?.setAttribute('tabindex', '-1');
  element?.focus();
};

const SignedIn = (): VNode => {
  const parts = useAddress();
  // Asked for at each page, because what somebody may do can change while the console is open. Until the answer, that of before counts.
  const loaded = useLoaded(() => get<typeof getCurrentUser>('/1/users/me'), [parts]);
  const known = useRef<Me | undefined>(undefined);
  known.current = loaded.value ?? known.current;
  const me = known.current;
  useLayoutEffect(() => {
    document.title = [...parts.toReversed(), words.title].join(' · ');
    // Who follows a link without seeing the page hears its heading, and goes on from there. At first there is none yet.
    focusOn(document.querySelector<HTMLElement>('main h1'));
  }, [parts]);
  return el(
    'div',
    null,
    el(
      'header',
      null,
      link(addressOf(), words.title),
      el(
        'nav',
        { 'aria-label': words.site },
        me?.userRole === 'system-admin' && link(addressOf(usersPart), words.users),
        link(addressOf(accountPart), me?.username ?? words.account),
        link(`${base()}docs`, words.reference),
        h(Action, { label: words.signOut, run: signOut }),
      ),
    ),
    me ? pageOf(me, parts) : loadedView(loaded, () => null),
  );
};

const SignIn = ({ hasEnded }: { readonly hasEnded: boolean }): VNode =>
  el(
    'main',
    { class: 'sign-in' },
    el('h1', null, words.title),
    hasEnded && el('p', { role: 'alert' }, words.signInToGoOn),
    h(
      Form,
      { label: words.signIn, run: ({ username = '', password = '' }) => beginSession(username, password) },
      field(words.username, { name: 'username', required: true, autocomplete: 'username', autofocus: true }),
      field(words.password, { name: 'password', type: 'password', required: true, autocomplete: 'current-password' }),
    ),
    el('p', null, link(`${base()}docs`, words.reference)),
  );

type Asking = (password: string | null) => void;

/** Asks for the password in a dialog, over whatever is shown. */
const PasswordAgain = ({ answer }: { readonly answer: Asking }): VNode => {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return el(
    'dialog',
    { ref: dialog, onCancel: () => answer(null), 'aria-label': words.again },
    el('h2', null, words.again),
    el('p', null, words.whyAgain),
    h(
      Form,
      { label: words.confirm, run: async ({ password = '' }) => answer(password) },
      field(words.password, { name: 'password', type: 'password', required: true, autocomplete: 'current-password' }),
      el('button', { type: 'button', onClick: () => answer(null) }, words.cancel),
    ),
  );
};

const Console = (): VNode => {
  const [session, setSession] = useState<SessionState>('none');
  const [asking, setAsking] = useState<Asking | undefined>(undefined);
  useEffect(() => {
    const ask = () =>
      new Promise<string | null>((resolve) => {
        setAsking(() => (password: string | null) => {
          setAsking(undefined);
          resolve(password);
        });
      });
    onSession(ask, setSession);
  }, []);
  const started = useLoaded(async () => {
    await resume();
    return true;
  }, []);
  if (!started.value)
    return el(
      'main',
      null,
      loadedView(started, () => null),
    );
  return el(
    'div',
    null,
    // What was typed is still there when the same person has signed in again.
    session !== 'none' && el('div', { hidden: session === 'ended' }, h(SignedIn, {})),
    session !== 'open' && h(SignIn, { hasEnded: session === 'ended' }),
    asking && h(PasswordAgain, { answer: asking }),
  );
};

/** Browsers keep from such a page what the console needs: turns of several tabs, random IDs, the clipboard. */
const insecure = (): VNode =>
  el('main', { class: 'sign-in' }, el('h1', null, words.title), el('p', { role: 'alert' }, words.insecure));

/** Shows the console in its element of the page. As a worker of the page, the script parses Markdown. */
export const start = (): void => {
  const root = typeof document === 'undefined' ? undefined : document.getElementById('console');
  if (root) render(isSecureContext ? h(Console, {}) : insecure(), root);
  else answerTexts();
};
