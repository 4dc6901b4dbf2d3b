import { malformed } from '../../shared/packages/formats/format-problem.ts';
import {
  childOf,
  type Element,
  parentElement,
  parseDocument,
  renderDocument,
  textElement,
  textOf,
} from '../../shared/packages/formats/xml.ts';
import { isSnapshot } from './paths.ts';
import { sortVersions } from './versions.ts';

/**
 * The content of a maven-metadata.xml, of whatever kind: the versions of an artifact, the files of a SNAPSHOT version, and the
 * plugins of a group. Elements that this service does not know are kept.
 */
export interface MavenMetadata {
  readonly attributes: Element['attributes'];
  /** The elements of the document that have no list of their own, such as `groupId`. */
  readonly fields: readonly Element[];
  /** The elements of `versioning` that have no list of their own, such as `lastUpdated`. Undefined without `versioning`. */
  readonly versioning: readonly Element[] | undefined;
  readonly versions: readonly string[];
  readonly snapshotVersions: readonly Element[];
  readonly plugins: readonly Element[];
}

/** The largest metadata of Maven Central have about a megabyte. */
const metadataBytesMax = 16 * 1024 * 1024;

const lists = new Set(['versioning', 'plugins', 'versions', 'snapshotVersions']);
const withoutLists = (elements: readonly Element[]): Element[] => elements.filter(({ name }) => !lists.has(name));

/** Parses a maven-metadata.xml. Throws a problem if it is none. */
export const parseMetadata = (bytes: Uint8Array): MavenMetadata => {
  const root = parseDocument(bytes, 'maven-metadata.xml', metadataBytesMax);
  if (root.name !== 'metadata') throw malformed('maven-metadata.xml must have the element metadata.');
  const versioning = childOf(root, 'versioning');
  const listed = (parent: Element | undefined, name: string) => (parent && childOf(parent, name))?.elements ?? [];
  return {
    attributes: root.attributes,
    fields: withoutLists(root.elements),
    versioning: versioning && withoutLists(versioning.elements),
    versions: listed(versioning, 'versions').map(({ text }) => text),
    snapshotVersions: listed(versioning, 'snapshotVersions'),
    plugins: listed(root, 'plugins'),
  };
};

const listElement = (name: string, elements: readonly Element[]): Element[] =>
  elements.length === 0 ? [] : [parentElement(name, elements)];

/** Renders a maven-metadata.xml. */
export const renderMetadata = (metadata: MavenMetadata): Buffer => {
  const { attributes, fields, versioning, versions, snapshotVersions, plugins } = metadata;
  const versionElements = versions.map((version) => textElement('version', version));
  const isLast = ({ name }: Element): boolean => name === 'lastUpdated';
  return renderDocument(
    parentElement(
      'metadata',
      [
        ...fields,
        ...listElement('versioning', [
          ...(versioning ?? []).filter((element) => !isLast(element)),
          ...listElement('versions', versionElements),
          ...(versioning ?? []).filter(isLast),
          ...listElement('snapshotVersions', snapshotVersions),
        ]),
        ...listElement('plugins', plugins),
      ],
      attributes,
    ),
  );
};

/** The elements of all lists, the first of each key. */
const firstOfEach = (elements: readonly Element[], keyOf: (element: Element) => string): Element[] => {
  const found = new Map<string, Element>();
  for (const element of elements) if (!found.has(keyOf(element))) found.set(keyOf(element), element);
  return [...found.values()];
};

/** The newest of elements by a text that sorts by time; the first of those that are equally new. */
const newest = (elements: readonly Element[], timeOf: (element: Element) => string): Element | undefined => {
  let best: Element | undefined;
  for (const element of elements) if (!best || timeOf(element) > timeOf(best)) best = element;
  return best;
};

/** A text that sorts by the timestamp and the build number of the `snapshot` element. */
const buildOf = (snapshot: Element): string =>
  `${textOf(snapshot, 'timestamp') ?? ''}-${(textOf(snapshot, 'buildNumber') ?? '').padStart(20, '0')}`;

const named = (elements: readonly Element[], name: string): Element[] =>
  elements.filter((element) => element.name === name);

/** The elements `latest` and `release` of these versions, which are in order. */
export const latestElements = (sorted: readonly string[]): Element[] => {
  const [latest, release] = [sorted.at(-1), sorted.findLast((version) => !isSnapshot(version))];
  return [
    ...(latest === undefined ? [] : [textElement('latest', latest)]),
    ...(release === undefined ? [] : [textElement('release', release)]),
  ];
};

const mergeVersioning = (all: readonly Element[], versions: readonly string[]): Element[] => {
  const computed = [
    ...(versions.length > 0 ? latestElements(versions) : []),
    newest(named(all, 'snapshot'), buildOf),
    newest(named(all, 'lastUpdated'), ({ text }) => text),
  ].filter((element) => element !== undefined);
  const isStale = ({ name }: Element): boolean => versions.length > 0 && (name === 'latest' || name === 'release');
  // A computed element comes first, so it replaces those of the documents.
  return firstOfEach([...computed, ...all.filter((element) => !isStale(element))], ({ name }) => name);
};

const mergeSnapshots = (all: readonly Element[]): Element[] => {
  const fileOf = (element: Element): string =>
    `${textOf(element, 'classifier') ?? ''} ${textOf(element, 'extension') ?? ''}`;
  return Array.from(Map.groupBy(all, fileOf).values()).flatMap(
    (same) => newest(same, (element) => textOf(element, 'updated') ?? '') ?? [],
  );
};

/**
 * Merges metadata in the order of resolution: all versions, of which `latest` and `release` are the highest by the order of
 * Maven; of a SNAPSHOT version the newest build and the newest of each file; the plugins by prefix; of any other element the first.
 */
export const mergeMetadata = (all: readonly MavenMetadata[]): MavenMetadata => {
  const versions = sortVersions(new Set(all.flatMap((each) => each.versions)));
  const withVersioning = all.flatMap(({ versioning }) => (versioning ? [versioning] : []));
  return {
    attributes: Object.assign({}, ...all.toReversed().map(({ attributes }) => attributes)) as Element['attributes'],
    fields: firstOfEach(
      all.flatMap(({ fields }) => fields),
      ({ name }) => name,
    ),
    versioning: withVersioning.length === 0 ? undefined : mergeVersioning(withVersioning.flat(), versions),
    versions,
    snapshotVersions: mergeSnapshots(all.flatMap(({ snapshotVersions }) => snapshotVersions)),
    plugins: firstOfEach(
      all.flatMap(({ plugins }) => plugins),
      (plugin) => textOf(plugin, 'prefix') ?? '',
    ),
  };
};
