import { isObject, type JsonObject, without } from '../../shared/packages/formats/json-objects.ts';
import type { IndexEntry } from '../../shared/packages/index/index-entry.ts';
import { type ManifestForm, manifestOf, manifestText, timeOf } from './index-entries.ts';
import { latestOf } from './versions.ts';

/** All versions of a package as one repository knows them. */
export interface PackageIndex {
  /** One entry for each version. */
  readonly entries: Iterable<IndexEntry>;
  readonly tags: Readonly<Record<string, string>>;
  /** What the full packument shows in addition to the versions, such as the readme. */
  readonly head?: JsonObject;
  readonly created?: string;
  readonly modified?: string;
}

/** The content of a packument. */
export interface Packument extends PackageIndex {
  readonly name: string;
  /** The `_rev`, which `npm unpublish` sends back in a path. */
  readonly revision: string;
}

/** What the full packument shows of the latest version (npm/registry, docs/responses/package-metadata.md). */
const hoistedFields = [
  'author',
  'bugs',
  'contributors',
  'description',
  'homepage',
  'keywords',
  'license',
  'maintainers',
  'repository',
] as const;

const hoisted = (latest: IndexEntry | undefined): JsonObject => {
  const manifest = latest ? manifestOf(latest) : {};
  return Object.fromEntries(hoistedFields.map((field) => [field, manifest[field]]));
};

const liveEntries = ({ entries }: PackageIndex): IndexEntry[] => [...entries].filter(({ isRemoved }) => !isRemoved);

/** The tags that clients see: with a `latest` also where none is set. */
export const tagsOf = (
  { tags }: Pick<PackageIndex, 'tags'>,
  entries: readonly IndexEntry[],
): Readonly<Record<string, string>> => {
  const latest = Object.hasOwn(tags, 'latest') ? undefined : latestOf(entries.map(({ version }) => version));
  return latest === undefined ? tags : { latest, ...tags };
};

/**
 * The packument, in full or in the abbreviated form of `application/vnd.npm.install-v1+json`. Each version becomes bytes
 * separately: a single text would take two bytes for each character as soon as one manifest contains a character beyond
 * Latin-1, as in most packages.
 */
export const renderPackument = (
  form: ManifestForm,
  packument: Packument,
  addressOf: (version: string) => string,
): Buffer => {
  const entries = liveEntries(packument);
  const isFull = form === 'full';
  const head = JSON.stringify(isFull ? fullHead(packument, entries) : abbreviatedHead(packument, entries));
  const versions = entries.map((entry, at) => {
    const { version } = entry;
    const text = manifestText(entry, form, addressOf(version));
    return Buffer.from(`${at === 0 ? '' : ','}${JSON.stringify(version)}:${text}`);
  });
  const end = isFull ? `},"time":${timesOf(packument, entries)}}` : '}}';
  return Buffer.concat([Buffer.from(`${head.slice(0, -1)},"versions":{`), ...versions, Buffer.from(end)]);
};

const abbreviatedHead = (packument: Packument, entries: readonly IndexEntry[]): JsonObject => ({
  name: packument.name,
  'dist-tags': tagsOf(packument, entries),
  modified: packument.modified,
});

const fullHead = (packument: Packument, entries: readonly IndexEntry[]): JsonObject => {
  const { name, revision, head } = packument;
  const tags = tagsOf(packument, entries);
  const latest = entries.find(({ version }) => version === tags.latest);
  const members = { _id: name, _rev: revision, name, 'dist-tags': tags, ...hoisted(latest), ...head };
  return without(members, 'time');
};

const timesOf = ({ created, modified, head }: Packument, entries: readonly IndexEntry[]): string => {
  const times = Object.fromEntries(
    entries.map((entry) => [entry.version, timeOf(entry)] as const).filter(([, time]) => time !== undefined),
  );
  return JSON.stringify({ created, modified, ...(isObject(head?.time) && head.time), ...times });
};

/**
 * The packument for a client that is about to write (`?write=true`). npm sends it back as a whole when it deprecates or
 * unpublishes a version, so it contains only what these commands read. The full packument of 1,000 versions would be too
 * large for a request. `_readTags` comes back as it is, and says which tags the client changed. So does `_readElsewhere`, with the
 * deprecations of the versions that are not among its `own` ones: a write does not change them.
 */
export const renderForWriting = (
  packument: Packument,
  addressOf: (version: string) => string,
  own?: Iterable<IndexEntry>,
): Buffer => {
  const { name, revision } = packument;
  const entries = liveEntries(packument);
  const changeable = new Set(Array.from(own ?? entries, ({ version }) => version));
  const versions = entries.map((entry) => {
    const { version } = entry;
    const { deprecated } = manifestOf(entry, 'abbreviated');
    return [version, { name, version, deprecated, dist: { tarball: addressOf(version) } }] as const;
  });
  const elsewhere = versions.filter(([version]) => !changeable.has(version));
  const tags = tagsOf(packument, entries);
  return Buffer.from(
    JSON.stringify({
      _id: name,
      _rev: revision,
      _readTags: tags,
      ...(elsewhere.length > 0 && {
        _readElsewhere: Object.fromEntries(
          elsewhere.map(([version, { deprecated }]) => [version, typeof deprecated === 'string' ? deprecated : '']),
        ),
      }),
      name,
      'dist-tags': tags,
      versions: Object.fromEntries(versions),
    }),
  );
};

/** The manifest of one version, the answer to `name/version`. */
export const renderVersion = (entry: IndexEntry, address: string): Buffer =>
  Buffer.from(manifestText(entry, 'full', address));

/** Several indexes as one. Each version and each tag comes from the first index that has it. */
export const mergeEntries = (children: Iterable<PackageIndex>): PackageIndex & { readonly entries: IndexEntry[] } => {
  const list = [...children];
  const entries = new Map<string, IndexEntry>();
  for (const entry of list.flatMap(liveEntries)) if (!entries.has(entry.version)) entries.set(entry.version, entry);
  const tags = Object.fromEntries(list.toReversed().flatMap((child) => Object.entries(child.tags)));
  const main = list.find((child) => Object.hasOwn(child.tags, 'latest')) ?? list[0];
  const created = list.flatMap((child) => child.created ?? []).toSorted();
  const modified = list.flatMap((child) => child.modified ?? []).toSorted();
  return { entries: [...entries.values()], tags, head: main?.head, created: created[0], modified: modified.at(-1) };
};
