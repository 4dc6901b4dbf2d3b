import { type Element, parentElement, textElement } from '../formats/xml.ts';
import type { DependencyGroup } from '../nupkg/nuspec.ts';
import type { OrderedEntry } from '../nupkg/package-entries.ts';
import { anyVersion, normalRange } from '../nupkg/version-ranges.ts';
import { fullText, isPrerelease, normalText } from '../nupkg/versions.ts';
import { type FeedRow, tagsOf } from './rows.ts';

/** The address of a path below a repository. */
export type UrlBelow = (path: string) => string;

/** The name of an entity of the data model, which entries have as their category. */
export const entityName = { namespace: 'NuGetGallery.OData', type: 'V2FeedPackage' } as const;

export type EdmType = 'Edm.String' | 'Edm.Boolean' | 'Edm.Int32' | 'Edm.Int64' | 'Edm.DateTime';

/** When a version was published that is not listed, and one of which nobody says when: clients tell the first by its year. */
const unlistedTime = '1900-01-01T00:00:00Z';
const unknownTime = '1970-01-01T00:00:00Z';

const publishedOf = ({ listed, published = unknownTime }: OrderedEntry): string => (listed ? published : unlistedTime);

/** The feed has nothing for any version. */
const rangeIn = (stored: string): string => {
  const range = normalRange(stored);
  return range === anyVersion ? '' : range;
};

const dependenciesIn = ({ targetFramework = '', dependencies }: DependencyGroup): readonly string[] =>
  dependencies.length === 0
    ? [`::${targetFramework}`]
    : dependencies.map(({ id, range }) => `${id}:${rangeIn(range)}:${targetFramework}`);

const hashOf = ({ sha512 }: OrderedEntry): string | undefined =>
  sha512 === undefined ? undefined : Buffer.from(sha512, 'hex').toString('base64');

type PropertyValue = string | number | boolean | null | undefined;

/** The properties of a version, each with its type and its value. Clients know the names; nothing stands for what is not known. */
export const feedProperties: readonly (readonly [
  name: string,
  type: EdmType,
  read: (row: FeedRow) => PropertyValue,
])[] = [
  ['Id', 'Edm.String', ({ entry }) => entry.id],
  ['Version', 'Edm.String', ({ entry }) => fullText(entry.parsed)],
  ['NormalizedVersion', 'Edm.String', ({ entry }) => normalText(entry.parsed)],
  ['Authors', 'Edm.String', ({ entry }) => entry.authors],
  ['Copyright', 'Edm.String', ({ entry }) => entry.copyright],
  ['Created', 'Edm.DateTime', ({ entry }) => entry.published ?? unknownTime],
  ['Dependencies', 'Edm.String', ({ entry }) => (entry.dependencyGroups ?? []).flatMap(dependenciesIn).join('|')],
  ['Description', 'Edm.String', ({ entry }) => entry.description],
  ['DownloadCount', 'Edm.Int32', ({ entry }) => entry.downloads ?? 0],
  ['IconUrl', 'Edm.String', ({ entry }) => entry.iconUrl],
  ['IsLatestVersion', 'Edm.Boolean', ({ isLatest }) => isLatest],
  ['IsAbsoluteLatestVersion', 'Edm.Boolean', ({ isAbsoluteLatest }) => isAbsoluteLatest],
  ['IsPrerelease', 'Edm.Boolean', ({ entry }) => isPrerelease(entry.parsed)],
  ['Language', 'Edm.String', ({ entry }) => entry.language],
  ['LastUpdated', 'Edm.DateTime', ({ entry }) => entry.published ?? unknownTime],
  ['LicenseUrl', 'Edm.String', ({ entry }) => entry.licenseUrl],
  ['Listed', 'Edm.Boolean', ({ entry }) => entry.listed],
  ['MinClientVersion', 'Edm.String', ({ entry }) => entry.minClientVersion],
  ['PackageHash', 'Edm.String', ({ entry }) => hashOf(entry)],
  ['PackageHashAlgorithm', 'Edm.String', ({ entry }) => (entry.sha512 === undefined ? undefined : 'SHA512')],
  ['PackageSize', 'Edm.Int64', ({ entry }) => entry.packageSize ?? 0],
  ['ProjectUrl', 'Edm.String', ({ entry }) => entry.projectUrl],
  ['Published', 'Edm.DateTime', ({ entry }) => publishedOf(entry)],
  ['ReleaseNotes', 'Edm.String', ({ entry }) => entry.releaseNotes],
  ['RequireLicenseAcceptance', 'Edm.Boolean', ({ entry }) => entry.requireLicenseAcceptance ?? false],
  ['Summary', 'Edm.String', ({ entry }) => entry.summary],
  ['Tags', 'Edm.String', ({ entry }) => tagsOf(entry)],
  ['Title', 'Edm.String', ({ entry }) => entry.title ?? entry.id],
  ['VersionDownloadCount', 'Edm.Int32', ({ entry }) => entry.downloads ?? 0],
];

const propertyElement = (name: string, type: EdmType, value: PropertyValue): Element => {
  const attributes = {
    ...(type !== 'Edm.String' && { 'm:type': type }),
    ...((value === null || value === undefined) && { 'm:null': 'true' }),
  };
  return { name: `d:${name}`, attributes, elements: [], text: String(value ?? '') };
};

const link = (rel: string, href: string, title?: string): Element =>
  parentElement('link', [], { rel, ...(title !== undefined && { title }), href });

const pathOfEntry = ({ id, parsed }: OrderedEntry): string => `Packages(Id='${id}',Version='${normalText(parsed)}')`;

/** The namespaces of a document, and the address below which its relative ones are. */
const namespaces = (urlOf: UrlBelow): Record<string, string> => ({
  'xml:base': urlOf(''),
  xmlns: 'http://www.w3.org/2005/Atom',
  'xmlns:d': 'http://schemas.microsoft.com/ado/2007/08/dataservices',
  'xmlns:m': 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata',
});

const elementsOf = (row: FeedRow, urlOf: UrlBelow): readonly Element[] => {
  const { entry } = row;
  const path = pathOfEntry(entry);
  return [
    textElement('id', urlOf(path)),
    parentElement('category', [], {
      term: `${entityName.namespace}.${entityName.type}`,
      scheme: 'http://schemas.microsoft.com/ado/2007/08/dataservices/scheme',
    }),
    link('edit', path, entityName.type),
    { ...textElement('title', entry.id), attributes: { type: 'text' } },
    { ...textElement('summary', entry.summary ?? ''), attributes: { type: 'text' } },
    textElement('updated', entry.published ?? unknownTime),
    parentElement('author', [textElement('name', entry.authors ?? '')]),
    parentElement('content', [], {
      type: 'application/zip',
      src: urlOf(`package/${entry.id}/${normalText(entry.parsed)}`),
    }),
    parentElement(
      'm:properties',
      feedProperties.map(([name, type, read]) => propertyElement(name, type, read(row))),
    ),
  ];
};

/** A version as a document of its own. */
export const entryDocument = (row: FeedRow, urlOf: UrlBelow): Element =>
  parentElement('entry', elementsOf(row, urlOf), namespaces(urlOf));

/** A page of a feed. */
export interface FeedPage {
  readonly rows: readonly FeedRow[];
  /** The number of versions on all pages, if the client asks for it. */
  readonly count: number | undefined;
  /** The address of the next page; undefined if this is the last one. */
  readonly next: string | undefined;
}

/** A page as a document (www.odata.org/documentation/odata-version-2-0/atom-format). `url` is its address. */
export const feedDocument = ({ rows, count, next }: FeedPage, url: string, urlOf: UrlBelow): Element =>
  parentElement(
    'feed',
    [
      textElement('id', url),
      { ...textElement('title', 'Packages'), attributes: { type: 'text' } },
      textElement('updated', rows[0]?.entry.published ?? unknownTime),
      link('self', url, 'Packages'),
      ...(count === undefined ? [] : [textElement('m:count', String(count))]),
      ...rows.map((row) => parentElement('entry', elementsOf(row, urlOf))),
      ...(next === undefined ? [] : [link('next', next)]),
    ],
    namespaces(urlOf),
  );
