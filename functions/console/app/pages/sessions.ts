import type { VNode } from 'preact';
import type { deleteSession, listSessions } from '../../../sessions/contracts.ts';
import { change, get, getPage, part, type Result, signOut } from '../api.ts';
import { Action, crumbs, el, facts, h, link, loadedView, useLoaded } from '../elements.ts';
import { pagesView, usePages } from '../lists.ts';
import { addressOf } from '../routes.ts';
import { browserText, timeText } from '../texts.ts';
import { words } from '../words.ts';
import { pageSize } from './home.ts';

type Session = Result<typeof listSessions>[number];

/** Whose sessions they are, as paths of the service say it, and the address of the page that shows them. */
export interface SessionHolder {
  readonly user: string;
  readonly at: readonly [string, ...string[]];
}

const pathOf = (user: string) => `/1/users/${part(user)}/sessions` as const;

const ending = ({ id, createdAt, isCurrent }: Session, user: string, after: () => void): VNode =>
  h(Action, {
    label: words.end,
    danger: true,
    about: timeText(createdAt),
    run: () =>
      isCurrent ? signOut() : change<typeof deleteSession>('DELETE', `${pathOf(user)}/${part(id)}`).then(after),
  });

/** Where somebody is signed in. */
export const Sessions = ({ user, at }: SessionHolder): VNode => {
  const pages = usePages(
    (next) => getPage<typeof listSessions>(`${pathOf(user)}?${next ?? `limit=${pageSize}`}`),
    [user],
  );
  return el(
    'section',
    null,
    el('h2', null, words.sessions),
    pagesView(
      pages,
      {
        label: words.sessions,
        heads: [words.began, words.address, words.browser, words.end],
        row: (session) => [
          link(addressOf(...at, ':sessions', session.id), timeText(session.createdAt)),
          session.sourceAddress,
          session.isCurrent ? `${browserText(session.userAgent)} (${words.thisOne})` : browserText(session.userAgent),
          ending(session, user, pages.reload),
        ],
      },
      el('p', null, words.noSession),
    ),
  );
};

/** The most sessions that a request brings. */
const sessionsMax = 1000;

/** One of them. The service has no request for one: the list has it, or it has ended. */
export const SessionPage = ({ user, at, id }: SessionHolder & { readonly id: string }): VNode => {
  const loaded = useLoaded(async () => {
    const found = await get<typeof listSessions>(`${pathOf(user)}?limit=${sessionsMax}`);
    return found.find((session) => session.id === id) ?? null;
  }, [user, id]);
  const leave = () => {
    location.hash = addressOf(...at);
  };
  const view = (session: Session) => [
    facts(words.session, [
      [words.began, timeText(session.createdAt)],
      [words.lastUsed, timeText(session.renewedAt)],
      [words.endsAt, timeText(session.endsAt)],
      [words.address, session.sourceAddress],
      [words.browser, session.userAgent],
    ]),
    ending(session, user, leave),
  ];
  return el(
    'main',
    null,
    crumbs(link(addressOf(...at), at.at(-1)?.replace(':account', words.account))),
    el('h1', null, words.session),
    loadedView(loaded, (session) => (session ? view(session) : el('p', { role: 'alert' }, words.sessionEnded))),
  );
};
