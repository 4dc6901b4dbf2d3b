import type { UpstreamDocument } from '../fetch/remote-documents.ts';
import { malformed } from '../formats/format-problem.ts';
import { isObject, type JsonObject, parseObject } from '../formats/json-objects.ts';
import { isPackageId, nameOfId } from '../nupkg/ids.ts';
import { type DependencyGroup, textFields } from '../nupkg/nuspec.ts';
import type { NupkgEntry } from '../nupkg/package-entries.ts';
import { normalRange } from '../nupkg/version-ranges.ts';
import { fullText, parseVersion } from '../nupkg/versions.ts';
import { releasesOf } from './gate.ts';

/** What an upstream says of a package: its versions, and where pages with further ones are. */
export interface UpstreamRegistration {
  readonly entries: readonly NupkgEntry[];
  readonly pages: readonly { readonly url: string; readonly lower: string; readonly upper: string }[];
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** A list that some upstreams write as one text. */
const listIn = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value.filter((each) => typeof each === 'string' && each !== '')
    : (textIn(value)?.split(/[\s,]+/) ?? []);

/** A value without the addresses of JSON-LD: they are those of the upstream. */
const withoutIds = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (key.startsWith('@') ? [] : [[key, withoutIds(member)]])),
  );
};

const groupOf = (group: JsonObject): DependencyGroup => {
  const targetFramework = textIn(group.targetFramework);
  const dependencies = Array.isArray(group.dependencies) ? group.dependencies.filter(isObject) : [];
  return {
    ...(targetFramework !== undefined && { targetFramework }),
    dependencies: dependencies.flatMap(({ id, range }) =>
      typeof id === 'string' && isPackageId(id) ? [{ id, range: normalRange(textIn(range)) }] : [],
    ),
  };
};

const packageTypesIn = (value: unknown): NupkgEntry['packageTypes'] =>
  Array.isArray(value)
    ? value.filter(isObject).flatMap(({ name, version }) => {
        const known = textIn(version);
        return typeof name === 'string' ? [{ name, ...(known !== undefined && { version: known }) }] : [];
      })
    : undefined;

/** The texts that an upstream shows, but for addresses of its own. */
const textsOfItem = (entry: JsonObject, hosts: ReadonlySet<string>): Record<string, string> =>
  Object.fromEntries(
    [...textFields, 'licenseExpression', 'minClientVersion'].flatMap((field) => {
      const sent = entry[field];
      // Some write the authors as a list.
      const text = textIn(Array.isArray(sent) ? sent.join(', ') : sent);
      const isOwn =
        field.endsWith('Url') && text !== undefined && (!URL.canParse(text) || hosts.has(new URL(text).host));
      return text === undefined || isOwn ? [] : [[field, text]];
    }),
  );

/** Reads an item of a page; undefined if it is no version that clients could use. */
const readItem = (
  { catalogEntry, packageContent }: JsonObject,
  { url, hosts }: { readonly url: string; readonly hosts: ReadonlySet<string> },
): NupkgEntry | undefined => {
  if (!isObject(catalogEntry)) return undefined;
  const { id, version, listed, published, packageSize, deprecation, vulnerabilities } = catalogEntry;
  const parsed = typeof version === 'string' ? parseVersion(version) : undefined;
  if (typeof id !== 'string' || !isPackageId(id) || !parsed) return undefined;
  const time = textIn(published);
  const content = textIn(packageContent) ?? textIn(catalogEntry.packageContent);
  const packageTypes = packageTypesIn(catalogEntry.packageTypes);
  return {
    id,
    version: fullText(parsed),
    ...textsOfItem(catalogEntry, hosts),
    tags: listIn(catalogEntry.tags),
    ...(catalogEntry.requireLicenseAcceptance === true && { requireLicenseAcceptance: true }),
    ...(packageTypes && { packageTypes }),
    ...(Array.isArray(catalogEntry.dependencyGroups) && {
      dependencyGroups: catalogEntry.dependencyGroups.filter(isObject).map(groupOf),
    }),
    listed: typeof listed === 'boolean' ? listed : !time?.startsWith('1900-'),
    ...(time !== undefined && { published: time }),
    ...(Number.isSafeInteger(packageSize) && { packageSize: Number(packageSize) }),
    ...(content !== undefined && URL.canParse(content, url) && { content: new URL(content, url).href }),
    ...(isObject(deprecation) && { deprecation: withoutIds(deprecation) }),
    ...(Array.isArray(vulnerabilities) && { vulnerabilities: withoutIds(vulnerabilities) }),
  };
};

/** Reads an index or a page of it. Throws if the document is none of both. */
export const readRegistration = (
  document: JsonObject,
  at: { readonly name: string; readonly url: string; readonly hosts: ReadonlySet<string> },
): UpstreamRegistration => {
  if (!Array.isArray(document.items)) throw malformed('The registration of the upstream has no items.');
  const items = document.items.filter(isObject);
  const isPage = items.some(({ catalogEntry }) => catalogEntry !== undefined);
  const inline = isPage ? [document] : items.filter((page) => Array.isArray(page.items));
  const entries = inline
    .flatMap((page) => (page.items as unknown[]).filter(isObject))
    .map((item) => readItem(item, at))
    .filter((entry) => entry !== undefined && nameOfId(entry.id) === at.name);
  const pages = items.flatMap(({ '@id': url, lower, upper, items: own, catalogEntry }) =>
    !own && catalogEntry === undefined && typeof url === 'string' && URL.canParse(url, at.url)
      ? [{ url: new URL(url, at.url).href, lower: String(lower), upper: String(upper) }]
      : [],
  );
  if (entries.length + pages.length === 0)
    throw malformed('The registration of the upstream has no version of the package.');
  return { entries: entries as NupkgEntry[], pages };
};

/** The registration of a package at an upstream, or one of its pages. What is kept of it is what this service shows, and where its files are. */
export const registrationDocument = (
  name: string,
  url: string,
  hosts: readonly string[],
  page = 'index',
): UpstreamDocument<UpstreamRegistration> => ({
  name,
  document: `registration ${page}`,
  url,
  accept: 'application/json',
  condense: (sent) => {
    const at = { name, url, hosts: new Set(hosts) };
    return Buffer.from(JSON.stringify(readRegistration(parseObject(sent, 'The registration of the upstream'), at)));
  },
  parse: (kept) => JSON.parse(Buffer.from(kept).toString()) as UpstreamRegistration,
  releases: ({ entries }) => releasesOf(entries),
});
