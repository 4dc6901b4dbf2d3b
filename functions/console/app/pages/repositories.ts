import type { VNode } from 'preact';
import type { listRepositories } from '../../../repositories/contracts.ts';
import { getPage, part } from '../api.ts';
import { el, h, Lines, link, pagesView, usePages } from '../elements.ts';
import { firstType } from '../lines.ts';
import { addressOf } from '../routes.ts';
import { words } from '../words.ts';
import { administers, curlLine, type Me, pageSize } from './home.ts';
import { Wizard } from './wizard.ts';
import { frame } from './workspace.ts';

const firstRepository = (workspace: string): VNode =>
  el(
    'div',
    null,
    el('p', null, words.createFirst),
    h(Lines, {
      title: 'curl',
      text: curlLine(`1/workspaces/${workspace}/repositories/local`, {
        name: `${firstType}-local`,
        packageType: firstType,
      }),
    }),
  );

/** The repositories of a workspace, and the wizard that makes more for those who may. */
export const Repositories = ({ me, workspace }: { readonly me: Me; readonly workspace: string }): VNode => {
  const path = `/1/workspaces/${part(workspace)}/repositories` as const;
  const pages = usePages(
    (next) => getPage<typeof listRepositories>(`${path}?${next ?? `limit=${pageSize}`}`),
    [workspace],
  );
  const mayCreate = administers(me, workspace);
  return frame(
    { me, workspace, here: undefined },
    pagesView(
      pages,
      {
        label: words.repositories,
        heads: [words.name, words.type, words.kind],
        row: ({ name, packageType, repositoryType }) => [
          link(addressOf(workspace, name), name),
          packageType,
          repositoryType,
        ],
      },
      [el('p', null, words.noRepository), mayCreate && firstRepository(workspace)],
    ),
    mayCreate && h(Wizard, { workspace, reload: pages.reload }),
  );
};
