import type { VNode } from 'preact';
import type { getRepositoryUsage } from '../../../packages/contracts.ts';
import type { listRepositories } from '../../../repositories/contracts.ts';
import { get, getPage, part } from '../api.ts';
import { badge, el, h, Lines, link, useLoaded } from '../elements.ts';
import { firstType } from '../lines.ts';
import { pagesView, usePages } from '../lists.ts';
import { addressOf, type Place } from '../routes.ts';
import { sizeText } from '../texts.ts';
import { words } from '../words.ts';
import { administers, curlLine, type Me, membersAtOnce } from './home.ts';
import { Wizard } from './wizard.ts';
import { frame, mayBeThere } from './workspace.ts';

const firstRepository = (workspace: string): VNode =>
  el(
    'div',
    null,
    el('p', null, words.createFirst),
    h(Lines, {
      title: 'curl',
      text: curlLine(`1/workspaces/${part(workspace)}/repositories/local`, {
        name: `${firstType}-local`,
        packageType: firstType,
      }),
    }),
  );

/** The size of a repository, which comes after the list: each is a request. */
const Size = ({ workspace, repository }: Place): VNode => {
  const path = `/1/workspaces/${part(workspace)}/repositories/${part(repository)}/usage` as const;
  const { value } = useLoaded(() => get<typeof getRepositoryUsage>(path), [path]);
  return el('span', null, value ? sizeText(value.bytes) : '…');
};

/** The repositories of a workspace, and the wizard that makes more for those who may. */
export const Repositories = ({ me, workspace }: { readonly me: Me; readonly workspace: string }): VNode => {
  const path = `/1/workspaces/${part(workspace)}/repositories` as const;
  const pages = usePages(
    (next) => getPage<typeof listRepositories>(`${path}?${next ?? `limit=${membersAtOnce}`}`),
    [workspace],
  );
  const mayCreate = administers(me, workspace) && mayBeThere(pages.error);
  return frame(
    { me, workspace, here: undefined },
    pagesView(
      pages,
      {
        label: words.repositories,
        heads: [words.name, words.type, words.kind, words.size],
        row: ({ name, packageType, repositoryType }) => [
          link(addressOf(workspace, name), name),
          badge(packageType),
          badge(repositoryType),
          h(Size, { workspace, repository: name }),
        ],
      },
      [el('p', null, words.noRepository), mayCreate && firstRepository(workspace)],
    ),
    mayCreate && h(Wizard, { workspace, reload: pages.reload }),
  );
};
