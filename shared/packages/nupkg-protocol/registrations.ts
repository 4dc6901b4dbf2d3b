import { chunksOf } from '../../chunks.ts';
import type { JsonObject } from '../formats/json-objects.ts';
import { nameOfId } from '../nupkg/ids.ts';
import type { DependencyGroup } from '../nupkg/nuspec.ts';
import type { OrderedEntry } from '../nupkg/package-entries.ts';
import { normalRange } from '../nupkg/version-ranges.ts';
import { compareVersions, parseVersion } from '../nupkg/versions.ts';
import type { PackageUrls } from './addresses.ts';

/** The number of versions on a page, and that from which an index leaves them to its pages: as the public gallery does. */
const pageSize = 64;
const inlineMax = 127;

/** When versions that are not listed were published, for clients that look at nothing else. */
const unlistedTime = '1900-01-01T00:00:00+00:00';

const publishedOf = ({ listed, published }: OrderedEntry): string | undefined => (listed ? published : unlistedTime);

const groupOf = ({ targetFramework, dependencies }: DependencyGroup, urls: PackageUrls): JsonObject => ({
  ...(targetFramework !== undefined && { targetFramework }),
  dependencies: dependencies.map(({ id, range }) => ({
    id,
    range: normalRange(range),
    registration: urls.registration(nameOfId(id)),
  })),
});

/** What a registration says of a version (learn.microsoft.com/nuget/api/registration-base-url-resource). */
const catalogEntryOf = (
  {
    parsed: _parsed,
    key,
    content: _content,
    downloads: _downloads,
    sha512: _sha512,
    created: _created,
    ...entry
  }: OrderedEntry,
  urls: PackageUrls,
): JsonObject => {
  const name = nameOfId(entry.id);
  return {
    '@id': urls.leaf(name, key),
    '@type': 'PackageDetails',
    ...entry,
    authors: entry.authors ?? '',
    description: entry.description ?? '',
    packageContent: urls.file(name, key),
    dependencyGroups: (entry.dependencyGroups ?? []).map((group) => groupOf(group, urls)),
  };
};

const itemOf = (entry: OrderedEntry, urls: PackageUrls): JsonObject => {
  const name = nameOfId(entry.id);
  const published = publishedOf(entry);
  return {
    '@id': urls.leaf(name, entry.key),
    '@type': 'Package',
    catalogEntry: { ...catalogEntryOf(entry, urls), ...(published !== undefined && { published }) },
    packageContent: urls.file(name, entry.key),
    registration: urls.registration(name),
  };
};

/** The borders of a page, and what is on it. */
interface Page {
  readonly name: string;
  readonly lower: string;
  readonly upper: string;
  readonly entries: readonly OrderedEntry[];
}

const pageOf = ({ name, lower, upper, entries }: Page, urls: PackageUrls, isInline: boolean): JsonObject => ({
  '@id': urls.page(name, lower, upper),
  '@type': 'catalog:CatalogPage',
  count: entries.length,
  lower,
  upper,
  parent: urls.registration(name),
  ...(isInline && { items: entries.map((entry) => itemOf(entry, urls)) }),
});

/** The pages of all versions, which are in their order. */
export const registrationIndex = (name: string, entries: readonly OrderedEntry[], urls: PackageUrls): JsonObject => {
  const pages = chunksOf(entries, pageSize).map((page) => {
    const [lower = '', upper = ''] = [page[0]?.key, page.at(-1)?.key];
    return pageOf({ name, lower, upper, entries: page }, urls, entries.length <= inlineMax);
  });
  return {
    '@id': urls.registration(name),
    '@type': ['catalog:CatalogRoot', 'PackageRegistration'],
    count: pages.length,
    items: pages,
  };
};

/**
 * The versions between two others. The borders of pages move when versions are added, and clients keep an index for half an hour: so
 * every page is answered that has a version, whatever its borders. Undefined if it has none.
 */
export const registrationPage = (
  { name, lower, upper }: Omit<Page, 'entries'>,
  entries: readonly OrderedEntry[],
  urls: PackageUrls,
): JsonObject | undefined => {
  const [first, last] = [parseVersion(lower), parseVersion(upper)];
  const between = entries.filter(
    ({ parsed }) => first && last && compareVersions(first, parsed) <= 0 && compareVersions(parsed, last) <= 0,
  );
  return between.length > 0 ? pageOf({ name, lower, upper, entries: between }, urls, true) : undefined;
};

/** What is known of one version; undefined if there is no such one. */
export const registrationLeaf = (
  version: string,
  entries: readonly OrderedEntry[],
  urls: PackageUrls,
): JsonObject | undefined => {
  const entry = entries.find(({ key }) => key === version);
  if (!entry) return undefined;
  const { catalogEntry, ...item } = itemOf(entry, urls);
  return { ...item, listed: entry.listed, published: publishedOf(entry), catalogEntry };
};
