import { malformed } from '../formats/format-problem.ts';
import { childOf, type Element, parseDocument, textOf } from '../formats/xml.ts';
import { isPackageId } from '../nupkg/ids.ts';
import type { DependencyGroup } from '../nupkg/nuspec.ts';
import type { NupkgEntry } from '../nupkg/package-entries.ts';
import { normalRange } from '../nupkg/version-ranges.ts';
import { fullText, parseVersion } from '../nupkg/versions.ts';

/** A feed of version 2 of the protocol (OData in Atom): versions, and where the next of them are. */
export interface PackageFeed {
  readonly entries: readonly NupkgEntry[];
  readonly next?: string;
  /** The number of all entries, if the feed tells it. */
  readonly total?: number;
}

/** The maximum size of a feed: a page of an upstream has at most 100 entries. */
const feedBytesMax = 32 * 1024 * 1024;

const label = 'The feed of the upstream';

/** Parses dependencies in the form `id:range:framework|…`. */
export const parseDependencies = (text: string): readonly DependencyGroup[] => {
  const groups = new Map<string, { id: string; range: string }[]>();
  for (const part of text.split('|')) {
    const [id = '', range, framework = ''] = part.split(':');
    const group = groups.get(framework) ?? [];
    groups.set(framework, group);
    if (isPackageId(id)) group.push({ id, range: normalRange(range) });
  }
  return Array.from(groups, ([targetFramework, dependencies]) => ({
    ...(targetFramework !== '' && { targetFramework }),
    dependencies,
  }));
};

/** The fields of an entry that are the texts of a nuspec. */
const fields: Readonly<Record<string, keyof NupkgEntry>> = {
  Title: 'title',
  Summary: 'summary',
  Description: 'description',
  Authors: 'authors',
  Copyright: 'copyright',
  ReleaseNotes: 'releaseNotes',
  ProjectUrl: 'projectUrl',
  LicenseUrl: 'licenseUrl',
  IconUrl: 'iconUrl',
  Language: 'language',
  MinClientVersion: 'minClientVersion',
};

const textsIn = (properties: Element, host: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const text = textOf(properties, name);
      const isOwn = name.endsWith('Url') && text !== undefined && (!URL.canParse(text) || new URL(text).host === host);
      return text === undefined || isOwn ? [] : [[field, text]];
    }),
  );

/** The SHA-512 in hex, of one that is written in base64. */
const sha512In = (properties: Element): string | undefined => {
  const isSha512 = textOf(properties, 'PackageHashAlgorithm')?.toUpperCase() === 'SHA512';
  const bytes = Buffer.from((isSha512 && textOf(properties, 'PackageHash')) || '', 'base64');
  return bytes.length === 64 ? bytes.toString('hex') : undefined;
};

const countIn = (properties: Element, name: string): number | undefined => {
  const text = textOf(properties, name) ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
};

/** A time that an entry names, in UTC where it names no zone. */
const timeIn = (properties: Element, name: 'Published' | 'Created'): string | undefined => {
  const text = textOf(properties, name);
  if (text === undefined) return undefined;
  const time = new Date(/[zZ]|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
};

/** Reads an entry; undefined if it is no version that clients could use. */
const readEntry = (entry: Element, url: string): NupkgEntry | undefined => {
  const content = childOf(entry, 'content');
  const properties = childOf(entry, 'properties') ?? (content && childOf(content, 'properties'));
  if (!properties) return undefined;
  // Where there is no ID among the properties, the title of the entry has it.
  const id = textOf(properties, 'Id') ?? textOf(entry, 'title') ?? '';
  const version = parseVersion(textOf(properties, 'Version') ?? '');
  if (!isPackageId(id) || !version) return undefined;
  const [published, sha512, packageSize, downloads] = [
    timeIn(properties, 'Published'),
    sha512In(properties),
    countIn(properties, 'PackageSize'),
    countIn(properties, 'DownloadCount'),
  ];
  // One that is not listed was published in 1900.
  const listed = published === undefined || new Date(published).getUTCFullYear() > 1901;
  const created = listed ? undefined : timeIn(properties, 'Created');
  const src = content?.attributes.src;
  const dependencies = textOf(properties, 'Dependencies');
  return {
    id,
    version: fullText(version),
    ...textsIn(properties, new URL(url).host),
    tags: textOf(properties, 'Tags')?.split(/[\s,]+/) ?? [],
    ...(textOf(properties, 'RequireLicenseAcceptance') === 'true' && { requireLicenseAcceptance: true }),
    ...(dependencies !== undefined && { dependencyGroups: parseDependencies(dependencies) }),
    listed,
    ...(published !== undefined && { published }),
    ...(created !== undefined && { created }),
    ...(packageSize !== undefined && { packageSize }),
    ...(downloads !== undefined && { downloads }),
    ...(sha512 !== undefined && { sha512 }),
    ...(src !== undefined && URL.canParse(src, url) && { content: new URL(src, url).href }),
  };
};

/** Reads a feed, or one entry, which came from a URL. Throws if the document is none of both. */
export const readFeed = (bytes: Uint8Array, url: string): PackageFeed => {
  const root = parseDocument(bytes, label, feedBytesMax, 'by local names');
  if (root.name !== 'feed' && root.name !== 'entry') throw malformed(`${label} is none.`);
  const entries = root.name === 'entry' ? [root] : root.elements.filter(({ name }) => name === 'entry');
  const next = root.elements.find(({ name, attributes: { rel } }) => name === 'link' && rel === 'next')?.attributes
    .href;
  const total = Number(textOf(root, 'count') ?? Number.NaN);
  return {
    entries: entries.map((entry) => readEntry(entry, url)).filter((entry) => entry !== undefined),
    ...(next !== undefined && URL.canParse(next, url) && { next: new URL(next, url).href }),
    ...(Number.isSafeInteger(total) && { total }),
  };
};
