import type { Root } from 'mdast';
import type { ComponentChildren, VNode } from 'preact';
import type {
  deletePackageVersion,
  getPackage,
  getPackageReadme,
  getPackageVersion,
  listPackageVersions,
} from '../../../packages/contracts.ts';
import type { getRepository } from '../../../repositories/contracts.ts';
import { change, codeOf, get, getPage, getText, part, type Result } from '../api.ts';
import { Action, badge, crumbs, el, h, Lines, link, loadedView, Refused, table, useLoaded } from '../elements.ts';
import { useHasLevel } from '../levels.ts';
import { isDeletable, isPublishable, linesOf, type ShownRepository } from '../lines.ts';
import { pagesView, usePages } from '../lists.ts';
import { markdown } from '../markdown.ts';
import { treeOf } from '../markdown-tree.ts';
import { addressOf, type Place } from '../routes.ts';
import { sizeText, timeText } from '../texts.ts';
import { words } from '../words.ts';
import { HeldBack } from './held.ts';
import { administers, type Me } from './home.ts';

/** How many versions a request brings: the most that the service gives, since it orders them as texts. */
const versionsShown = 1000;

/** A package, and the version and the file that are shown. */
export interface ShownPackage extends Place {
  readonly name: string;
  readonly version?: string | undefined;
  readonly file?: string | undefined;
}

const pathOf = ({ workspace, repository, name }: ShownPackage) =>
  `/1/workspaces/${part(workspace)}/repositories/${part(repository)}/packages/${part(name)}` as const;

const originText = ({ origin, publishedBy }: Result<typeof listPackageVersions>[number]): string =>
  origin === 'published' ? words.by(publishedBy?.username ?? '…') : words.fetched;

/** Marks a kept version that does not pass. */
const gateBadge = ({ gate }: Result<typeof listPackageVersions>[number]): ComponentChildren =>
  (gate?.state === 'held' || gate?.state === 'blocked') && el('span', { title: gate.why }, ' ', badge(gate.state));

const Readme = ({ shown, version }: { readonly shown: ShownPackage; readonly version: string }): VNode => {
  const path = `${pathOf(shown)}/versions/${part(version)}/readme` as const;
  const loaded = useLoaded(async () => {
    const { text, mediaType } = await getText<typeof getPackageReadme>(path);
    return { text, tree: mediaType.startsWith('text/markdown') ? await treeOf(text) : undefined };
  }, [path]);
  const isAbsent = codeOf(loaded.error) === 'README_NOT_FOUND';
  const view = ({ text, tree }: { text: string; tree: Root | undefined }): ComponentChildren =>
    el('article', null, tree ? markdown(tree) : el('pre', { tabIndex: 0 }, text));
  return el(
    'section',
    { class: 'readme', 'aria-label': words.readme },
    el('h2', null, words.readme),
    isAbsent ? el('p', { class: 'hint' }, words.noReadme) : loadedView(loaded, view),
  );
};

const filesOf = (
  { workspace, repository, name: packageName, file }: ShownPackage,
  { version, files }: Result<typeof getPackageVersion>,
): VNode => {
  const found = files.filter(({ name }) => file === undefined || name === file);
  const rows = found.map(({ name, sizeInBytes, sha256 }) => [
    link(addressOf(workspace, repository, packageName, version, name), name),
    sizeText(sizeInBytes),
    el('code', null, sha256),
  ]);
  return el(
    'section',
    null,
    el('h2', null, words.files),
    rows.length > 0
      ? table(words.files, [words.name, words.size, words.hash], rows)
      : el('p', { role: 'alert' }, words.noFile),
  );
};

/** Leads on after a deletion: to the repository without the package, and from a version that is gone to the others. */
const leadOn = async (shown: ShownPackage, deleted: string, reload: () => void): Promise<void> => {
  const { workspace, repository, name } = shown;
  const isGone = await get<typeof getPackage>(pathOf(shown)).then(
    () => false,
    (error: unknown) => codeOf(error) === 'PACKAGE_NOT_FOUND',
  );
  if (isGone) location.replace(addressOf(workspace, repository));
  else if (shown.version === deleted) location.replace(addressOf(workspace, repository, name));
  else reload();
};

const Versions = ({
  shown,
  tags,
  mayDelete,
  reload,
}: {
  readonly shown: ShownPackage;
  readonly tags: Result<typeof getPackage>['tags'];
  readonly mayDelete: boolean;
  readonly reload: () => void;
}): VNode => {
  const { workspace, repository, name } = shown;
  const path = `${pathOf(shown)}/versions` as const;
  const pages = usePages(
    (next) => getPage<typeof listPackageVersions>(`${path}?${next ?? `limit=${versionsShown}`}`),
    [path],
  );
  const removal = (version: string) =>
    h(Action, {
      label: words.remove,
      danger: true,
      about: version,
      question: words.sure(`${name} ${version}`),
      run: async () => {
        await change<typeof deletePackageVersion>('DELETE', `${path}/${part(version)}`);
        await leadOn(shown, version, () => {
          pages.reload();
          reload();
        });
      },
    });
  const tagsOf = (version: string) =>
    tags.filter((tag) => tag.version === version).map(({ tag }) => el('span', { key: tag }, badge(tag), ' '));
  const newestFirst = pages.items?.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
  const heads = [words.version, words.tags, words.published, words.size, words.origin];
  return el(
    'section',
    null,
    el('h2', null, words.versions),
    pagesView(
      { ...pages, items: newestFirst },
      {
        label: words.versions,
        heads: [...heads, ...(mayDelete ? [words.remove] : [])],
        row: (each) => [
          [link(addressOf(workspace, repository, name, each.version), each.version), gateBadge(each)],
          tagsOf(each.version),
          timeText(each.createdAt),
          sizeText(each.sizeInBytes),
          originText(each),
          ...(mayDelete ? [removal(each.version)] : []),
        ],
      },
      el('p', null, words.noPackage),
    ),
  );
};

/** What is shown of a package: the lines and the files are those of a version that the service knows, because anybody can write an address. */
const Content = ({
  me,
  shown,
  found: { name, displayName, packageType, latestVersion, tags, heldVersions },
  place,
  takesVersions,
  mayDelete,
  reload,
}: {
  readonly me: Me;
  readonly shown: ShownPackage;
  readonly found: Result<typeof getPackage>;
  /** Undefined until it has come. */
  readonly place: ShownRepository | undefined;
  readonly takesVersions: boolean;
  readonly mayDelete: boolean;
  readonly reload: () => void;
}): VNode => {
  const { workspace, repository } = shown;
  const version = shown.version ?? latestVersion;
  const loaded = useLoaded(() => get<typeof getPackageVersion>(`${pathOf(shown)}/versions/${part(version)}`), []);
  const linesFor = (known: string, { repositoryType }: ShownRepository) =>
    linesOf(packageType, {
      workspace,
      repository,
      name: displayName,
      version: known,
      takesVersions,
      isRemote: repositoryType === 'remote',
    });
  return el(
    'div',
    null,
    el('p', null, badge(packageType), ' ', version === latestVersion && badge(words.latest)),
    h(Refused, { error: loaded.error }),
    el(
      'div',
      { class: 'beside' },
      el(
        'aside',
        { 'aria-label': words.install },
        loaded.value &&
          place &&
          linesFor(loaded.value.version, place).map((each) => h(Lines, { key: each.title, ...each })),
      ),
      el(
        'div',
        null,
        heldVersions.length > 0 &&
          h(HeldBack, {
            held: heldVersions,
            decideAt: administers(me, workspace)
              ? (held) => addressOf(workspace, ':verdicts', packageType, name, held)
              : undefined,
          }),
        loaded.error === undefined && h(Readme, { shown, version }),
        h(Versions, { shown, tags, mayDelete, reload }),
        loaded.value && filesOf(shown, loaded.value),
      ),
    ),
  );
};

/** A package: how to install it, the README of one of its versions, its versions and the files of that one. */
export const Package = ({ me, shown }: { readonly me: Me; readonly shown: ShownPackage }): VNode => {
  const { workspace, repository } = shown;
  const loaded = useLoaded(() => get<typeof getPackage>(pathOf(shown)), []);
  const isManager = useHasLevel(me, shown, 'canManage');
  const mayDeploy = useHasLevel(me, shown, 'canDeploy');
  const path = `/1/workspaces/${part(workspace)}/repositories/${part(repository)}` as const;
  const place = useLoaded(() => get<typeof getRepository>(path), [path]);
  const takesVersions = mayDeploy && place.value !== undefined && isPublishable(place.value);
  const mayDelete = isManager && place.value !== undefined && isDeletable(place.value);
  return el(
    'main',
    null,
    crumbs(link(addressOf(workspace), workspace), link(addressOf(workspace, repository), repository)),
    el(
      'h1',
      null,
      loaded.value?.displayName ?? shown.name,
      ' ',
      el('small', null, shown.version ?? loaded.value?.latestVersion),
    ),
    loadedView(loaded, (found) =>
      h(Content, {
        key: found.latestVersion,
        me,
        shown,
        found,
        place: place.value,
        takesVersions,
        mayDelete,
        reload: loaded.reload,
      }),
    ),
  );
};
