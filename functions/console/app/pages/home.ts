import type { VNode } from 'preact';
import type { getCurrentUser } from '../../../users/contracts.ts';
import type { createWorkspace, listWorkspaces } from '../../../workspaces/contracts.ts';
import { base, change, getPage, type Result } from '../api.ts';
import { el, h, Lines, link } from '../elements.ts';
import { Form, field } from '../forms.ts';
import { pagesView, usePages } from '../lists.ts';
import { addressOf } from '../routes.ts';
import { words } from '../words.ts';

export type Me = Result<typeof getCurrentUser>;

/** Whether somebody administers a workspace, by its name or ID: to others the console does not offer what the service would refuse. */
export const administers = (me: Me, workspace: string): boolean =>
  me.userRole === 'system-admin' ||
  me.workspaces.some(({ workspaceId, name, role }) => [workspaceId, name].includes(workspace) && role === 'admin');

/** A line that sends a JSON body with curl. */
export const curlLine = (path: string, body: object): string =>
  `curl -sS -H "Authorization: Bearer $STOCKROOM_TOKEN" -H 'Content-Type: application/json' -d '${JSON.stringify(body)}' ${base()}${path}`;

const NewWorkspace = ({ reload, isFirst }: { readonly reload: () => void; readonly isFirst: boolean }): VNode =>
  el(
    'section',
    null,
    el('h2', null, words.newWorkspace),
    h(
      Form,
      {
        label: words.create,
        run: ({ name = '' }) => change<typeof createWorkspace>('POST', '/1/workspaces', { name }).then(reload),
      },
      field(words.name, { name: 'name', required: true }),
    ),
    isFirst && h(Lines, { title: 'curl', text: curlLine('1/workspaces', { name: 'acme' }) }),
  );

/** How many rows a request brings of a list whose rows ask for more themselves. */
export const membersAtOnce = 25;

/** How many rows a request of a list brings. */
export const pageSize = 100;

/** The workspaces that somebody sees. */
export const Workspaces = ({ me }: { readonly me: Me }): VNode => {
  const pages = usePages((next) => getPage<typeof listWorkspaces>(`/1/workspaces?${next ?? `limit=${pageSize}`}`), []);
  const mayCreate = me.userRole === 'system-admin';
  return el(
    'main',
    null,
    el('h1', null, words.workspaces),
    pagesView(
      pages,
      { label: words.workspaces, heads: [words.name], row: ({ name }) => [link(addressOf(name), name)] },
      el('p', null, mayCreate ? words.firstWorkspace : words.noWorkspace),
    ),
    mayCreate && h(NewWorkspace, { reload: pages.reload, isFirst: pages.items?.length === 0 }),
  );
};
