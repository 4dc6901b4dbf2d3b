import type { VNode } from 'preact';
import type { listPackages } from '../../../packages/contracts.ts';
import type { getRepository } from '../../../repositories/contracts.ts';
import { get, type Page, part, type Result } from '../api.ts';
import { badge, crumbs, el, h, Lines, link, loadedView, useLoaded } from '../elements.ts';
import { useHasLevel } from '../levels.ts';
import { canHaveGate, isPublishable, linesOf, publishesFiles, type ShownRepository } from '../lines.ts';
import { pagesView, usePages } from '../lists.ts';
import { addressOf, type Place, useQuery } from '../routes.ts';
import { sizeText, timeText } from '../texts.ts';
import { words } from '../words.ts';
import { ReleaseGate } from './gate.ts';
import { administers, type Me } from './home.ts';
import { Upload } from './upload.ts';

/** How many packages a request brings, whatever the repository holds. */
const pageSize = 50;

/** How long the console waits for the next letter of a search, in milliseconds. */
const typingMilliseconds = 250;

type Listed = Result<typeof listPackages>['packages'];

/** Packages whose names begin with a text, a page at a time. */
const pageOf = async (
  { workspace, repository }: Place,
  search: string,
  cursor: string | undefined,
): Promise<Page<Listed[number]>> => {
  const query = new URLSearchParams({ limit: `${pageSize}`, ...(search && { search }), ...(cursor && { cursor }) });
  const path = `/1/workspaces/${part(workspace)}/repositories/${part(repository)}/packages` as const;
  const { packages, nextCursor } = await get<typeof listPackages>(`${path}?${query.toString()}`);
  return { items: packages, next: nextCursor ?? undefined };
};

const rowOf = ({ workspace, repository }: Place, each: Listed[number]) => [
  link(addressOf(workspace, repository, each.name), each.displayName),
  each.latestVersion,
  String(each.versionCount),
  sizeText(each.sizeInBytes),
  timeText(each.updatedAt),
];

const heads = [words.package, words.latest, words.versions, words.size, words.published];

const SetUp = ({
  place,
  repository: { packageType, repositoryType },
  takesVersions,
  isOpen,
}: {
  readonly place: Place;
  readonly repository: ShownRepository;
  readonly takesVersions: boolean;
  readonly isOpen: boolean;
}): VNode =>
  el(
    'details',
    { open: isOpen },
    el('summary', null, words.setUp),
    el('p', { class: 'hint' }, words.tokenHint),
    linesOf(packageType, { ...place, takesVersions, isRemote: repositoryType === 'remote' }).map(({ title, text }) =>
      h(Lines, { key: title, title, text }),
    ),
  );

/** The packages come last: their list grows when somebody scrolls. */
const Content = ({
  me,
  place,
  repository,
}: {
  readonly me: Me;
  readonly place: Place;
  readonly repository: ShownRepository;
}): VNode => {
  const [{ search = '' }, setQuery] = useQuery();
  const pages = usePages((next) => pageOf(place, search, next), [search], search ? typingMilliseconds : 0);
  const takesVersions = useHasLevel(me, place, 'canDeploy') && isPublishable(repository);
  const onInput = (event: Event) => setQuery({ search: (event.target as HTMLInputElement).value });
  const row = (each: Listed[number]) => rowOf(place, each);
  const isEmpty = search === '' && pages.items?.length === 0 && !pages.more;
  return el(
    'div',
    null,
    h(SetUp, { place, repository, takesVersions, isOpen: isEmpty }),
    takesVersions && publishesFiles(repository.packageType) && h(Upload, { place, done: pages.reload }),
    el('h2', null, words.packages),
    el(
      'label',
      { class: 'search' },
      words.search,
      el('input', { type: 'search', value: search, onInput, maxLength: 200 }),
    ),
    pagesView(
      pages,
      { label: words.packages, heads, row, isEndless: true },
      el('p', null, search ? words.nothingFound : words.noPackage),
    ),
  );
};

/** The packages of a repository, a way to publish more, and how its clients are set up. */
export const Packages = ({ me, place }: { readonly me: Me; readonly place: Place }): VNode => {
  const { workspace, repository } = place;
  const path = `/1/workspaces/${part(workspace)}/repositories/${part(repository)}` as const;
  const loaded = useLoaded(() => get<typeof getRepository>(path), [workspace, repository]);
  return el(
    'main',
    null,
    crumbs(link(addressOf(workspace), workspace)),
    el('h1', null, repository),
    loadedView(loaded, (found) => [
      el('p', null, badge(found.packageType), ' ', badge(found.repositoryType)),
      found.repositoryType === 'remote' &&
        canHaveGate(found.packageType) &&
        h(ReleaseGate, {
          place,
          gate: found.releaseGate,
          mayChange: administers(me, workspace),
          reload: loaded.reload,
        }),
      h(Content, { me, place, repository: found }),
    ]),
  );
};
