import type { ComponentChildren, VNode } from 'preact';
import { codeOf } from '../api.ts';
import { crumbs, el, link } from '../elements.ts';
import { addressOf } from '../routes.ts';
import { words } from '../words.ts';
import { administers, type Me } from './home.ts';

/** The pages of a workspace. No repository has a name that begins with a colon. */
const parts = [
  [undefined, words.repositories],
  [':members', words.members],
  [':usage', words.usage],
  [':records', words.records],
  [':verdicts', words.verdicts],
  [':trusts', words.trusts],
] as const;

/** What every page of a workspace gets. */
export interface WorkspaceProps {
  readonly me: Me;
  readonly workspace: string;
  /** The parts of the address that say which row of the page is shown. */
  readonly shown: readonly string[];
}

/** Which page of a workspace is shown, to whom. */
export interface WorkspacePage {
  readonly me: Me;
  readonly workspace: string;
  readonly here: (typeof parts)[number][0];
}

/** Only admins may see these. */
const ofAdmins: ReadonlySet<unknown> = new Set([':records', ':trusts']);

/** Whether a workspace may be there, by what was said of it: of one that is not, nothing is offered. */
export const mayBeThere = (error: unknown): boolean => codeOf(error) !== 'WORKSPACE_NOT_FOUND';

/** A page of a workspace, with links to the others. */
export const frame = ({ me, workspace, here }: WorkspacePage, ...content: ComponentChildren[]): VNode => {
  const offered = parts.filter(([part]) => !ofAdmins.has(part) || administers(me, workspace));
  const title = parts.find(([part]) => part === here)?.[1];
  return el(
    'main',
    null,
    crumbs(link(addressOf(), words.workspaces)),
    el('h1', null, workspace),
    el(
      'nav',
      { class: 'tabs', 'aria-label': words.workspace },
      offered.map(([part, text]) =>
        el(
          'a',
          {
            key: text,
            href: addressOf(workspace, ...(part === undefined ? [] : [part])),
            'aria-current': part === here ? 'page' : undefined,
          },
          text,
        ),
      ),
    ),
    el('h2', null, title),
    ...content,
  );
};
