import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { listRepositories } from '../../../repositories/contracts.ts';
import type {
  createPersonalAccessToken,
  deletePersonalAccessToken,
  getPersonalAccessToken,
  listPersonalAccessTokens,
  listUserPersonalAccessTokens,
} from '../../../tokens/contracts.ts';
import type { getWorkspace } from '../../../workspaces/contracts.ts';
import { change, get, getPage, part, type Result } from '../api.ts';
import { Action, crumbs, el, facts, h, Lines, link, loadedView, useLoaded } from '../elements.ts';
import { choice, Form, field } from '../forms.ts';
import { type Level, levels } from '../levels.ts';
import { type Pages, pagesView, usePages } from '../lists.ts';
import { addressOf } from '../routes.ts';
import { timeText } from '../texts.ts';
import { words } from '../words.ts';
import { curlLine, pageSize } from './home.ts';

type Token = Result<typeof getPersonalAccessToken>;

const dayMilliseconds = 86_400_000;

const inDays = (days: string): string | null =>
  days === '' ? null : new Date(Date.now() + Number(days) * dayMilliseconds).toISOString();

const path = '/1/users/personal-access-tokens';

const addressOfToken = (id: string): string => addressOf(':account', ':tokens', id);

const timeOrNever = (time: string | null): string => (time ? timeText(time) : words.never);

const removal = ({ id, name }: Token, after: () => void): VNode =>
  h(Action, {
    label: words.remove,
    danger: true,
    about: name,
    question: words.sure(name),
    run: () => change<typeof deletePersonalAccessToken>('DELETE', `${path}/${part(id)}`).then(after),
  });

const tokensView = (pages: Pages<Token>, empty: ComponentChildren): ComponentChildren =>
  pagesView(
    pages,
    {
      label: words.tokens,
      heads: [words.name, words.expires, words.lastUsed, words.remove],
      row: (token) => [
        link(addressOfToken(token.id), token.name),
        timeOrNever(token.expirationDate),
        timeOrNever(token.lastUsedAt),
        removal(token, pages.reload),
      ],
    },
    empty,
  );

/** The tokens of somebody else, for System Admins. */
export const TokensOf = ({ user }: { readonly user: string }): VNode => {
  const pages = usePages(
    (next) =>
      getPage<typeof listUserPersonalAccessTokens>(
        `/1/users/${part(user)}/personal-access-tokens?${next ?? `limit=${pageSize}`}`,
      ),
    [user],
  );
  return el('section', null, el('h2', null, words.tokens), tokensView(pages, el('p', null, words.noToken)));
};

/** The limits that a form says, if it says any. */
const limitsIn = ({ workspace = '', level = '', readOnly }: Readonly<Record<string, string>>) => {
  const limits = {
    ...(workspace && { workspaces: [{ workspaceReference: workspace }] }),
    ...(level && { repositoryPermissionLevel: level as Level }),
    ...(readOnly && { readOnly: true }),
  };
  return Object.keys(limits).length > 0 ? { limits } : {};
};

/** One's own tokens, and a form for another one. */
export const OwnTokens = (): VNode => {
  const pages = usePages(
    (next) => getPage<typeof listPersonalAccessTokens>(`${path}?${next ?? `limit=${pageSize}`}`),
    [],
  );
  const [created, setCreated] = useState<string | undefined>(undefined);
  const create = async (fields: Readonly<Record<string, string>>) => {
    const { name = '', days = '' } = fields;
    const body = { name, expirationDate: inDays(days), ...limitsIn(fields) };
    setCreated((await change<typeof createPersonalAccessToken>('POST', path, body)).token);
    pages.reload();
  };
  return el(
    'section',
    null,
    el('h2', null, words.tokens),
    tokensView(pages, [
      el('p', null, words.noToken),
      h(Lines, { title: 'curl', text: curlLine(path.slice(1), { name: 'ci' }) }),
    ]),
    el('h3', null, words.newToken),
    h(
      Form,
      { label: words.create, run: create },
      field(words.name, { name: 'name', required: true, maxLength: 100 }),
      field(words.days, { name: 'days', type: 'number', min: 1, max: 3650 }),
      field(words.onlyInWorkspace, { name: 'workspace' }),
      choice(words.highestLevel, { name: 'level' }, ['', ...levels], words.yours),
      el('label', { class: 'box' }, el('input', { type: 'checkbox', name: 'readOnly' }), words.readOnly),
    ),
    created !== undefined &&
      el('div', { role: 'status' }, el('p', null, words.onlyOnce), h(Lines, { title: words.newToken, text: created })),
  );
};

type Limited = NonNullable<Token['limits']>['workspaces'][number];

/** A workspace of a token and its repositories there, by their names where whoever looks may know them, else by their IDs. */
const placeText = async ({ workspaceId, repositoryIds }: Limited): Promise<string> => {
  const at = `/1/workspaces/${part(workspaceId)}` as const;
  const name = await get<typeof getWorkspace>(at)
    .then((found) => found.name)
    .catch(() => workspaceId);
  if (repositoryIds.length === 0) return name;
  const list = await getPage<typeof listRepositories>(`${at}/repositories?limit=1000`).catch(() => undefined);
  const nameOf = (id: string) => list?.items.find((each) => each.id === id)?.name ?? id;
  return `${name} (${repositoryIds.map(nameOf).join(', ')})`;
};

const limitsText = async ({ limits }: Token): Promise<string> => {
  if (!limits) return words.noLimits;
  const { readOnly, repositoryPermissionLevel: level, workspaces } = limits;
  const places = workspaces.length > 0 ? [words.onlyIn(await Promise.all(workspaces.map(placeText)))] : [];
  return [...(readOnly ? [words.onlyReads] : []), ...(level ? [words.atMost(level)] : []), ...places].join(', ');
};

const Limits = ({ token }: { readonly token: Token }): VNode =>
  el(
    'span',
    null,
    loadedView(
      useLoaded(() => limitsText(token), [token]),
      (text) => text,
    ),
  );

/** One token. */
export const TokenPage = ({ id }: { readonly id: string }): VNode => {
  const loaded = useLoaded(() => get<typeof getPersonalAccessToken>(`${path}/${part(id)}`), [id]);
  const leave = () => {
    location.hash = addressOf(':account');
  };
  return el(
    'main',
    null,
    crumbs(link(addressOf(':account'), words.account)),
    el('h1', null, loaded.value?.name ?? words.token),
    loadedView(loaded, (token) => [
      facts(words.token, [
        [words.id, el('code', null, token.id)],
        [words.created, timeText(token.createdAt)],
        [words.expires, timeOrNever(token.expirationDate)],
        [words.lastUsed, timeOrNever(token.lastUsedAt)],
        [words.limits, h(Limits, { token })],
        [words.replacedBy, token.replacedBy && link(addressOfToken(token.replacedBy), token.replacedBy)],
      ]),
      removal(token, leave),
    ]),
  );
};
