import { isObject, type JsonObject } from '../../shared/packages/formats/json-objects.ts';
import type { LoadedIndex } from '../../shared/packages/index/package-index.ts';
import { filePathOf } from './paths.ts';
import { metadataPromise, type ProjectFile, type ProjectFiles } from './project-files.ts';
import { fileOf } from './version-content.ts';

/** The version of the API that pages of local repositories have: with sizes and versions (PEP 700) and provenance (PEP 740). */
const localMeta = { 'api-version': '1.3' };

/** The files of a project in a local repository. */
export const localFiles = ({ entries }: LoadedIndex): ProjectFiles => ({
  head: { meta: localMeta },
  versions: [...entries.keys()],
  files: Array.from(entries.values()).flatMap(({ parts }) => parts.map(fileOf)),
});

/** A page to show: the files of all sources, and where they are. */
export interface ProjectPage extends ProjectFiles {
  /** The normalised name of the project. */
  readonly name: string;
}

const minorOf = ({ meta }: JsonObject): number =>
  Number(isObject(meta) ? String(meta['api-version']).split('.')[1] : 0);

/**
 * Several sources as one. Each file comes from the first source that has a file of its name, and so does each other member. The
 * page has the lowest version of the API, because only that promises what all sources have.
 */
export const mergeFiles = (sources: readonly ProjectFiles[]): ProjectFiles => {
  const [first] = sources;
  if (first && sources.length === 1) return first;
  const files = new Map<string, ProjectFile>();
  for (const file of sources.flatMap((source) => source.files))
    if (!files.has(file.filename)) files.set(file.filename, file);
  const lowest = sources.toSorted((one, other) => minorOf(one.head) - minorOf(other.head))[0];
  const hasVersions = sources.every(({ versions }) => versions !== undefined);
  return {
    head: {
      ...Object.fromEntries(sources.toReversed().flatMap(({ head }) => Object.entries(head))),
      meta: lowest?.head.meta,
    },
    versions: hasVersions ? [...new Set(sources.flatMap(({ versions = [] }) => versions))] : undefined,
    files: [...files.values()],
  };
};

/** Returns the URL of a path below the address of the repository. */
export type UrlOf = (path: string) => string;

/** A file with its addresses here. */
const addressed = (file: ProjectFile, name: string, urlOf: UrlOf): ProjectFile => {
  const url = urlOf(filePathOf(name, file.filename));
  return { ...file, url, ...(typeof file.provenance === 'string' && { provenance: `${url}.provenance` }) };
};

/** The page of a project in JSON (PEP 691). */
export const renderJsonPage = ({ name, head, versions, files }: ProjectPage, urlOf: UrlOf): Buffer => {
  const page = {
    ...head,
    name,
    ...(versions && { versions }),
    files: files.map((file) => addressed(file, name, urlOf)),
  };
  return Buffer.from(JSON.stringify(page));
};

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text as a part of HTML or as a quoted attribute. */
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');

/** The attribute of a link, if it has a value. */
const attribute = (name: string, value: string | undefined): string =>
  value === undefined ? '' : ` ${name}="${escapeHtml(value)}"`;

/** A hash as in the fragment of a link. SHA-256 is what all clients know. */
const hashText = (hashes: unknown): string | undefined => {
  const all = isObject(hashes) ? hashes : {};
  const name = ['sha256', 'sha512', ...Object.keys(all)].find((each) => typeof all[each] === 'string');
  return name === undefined ? undefined : `${name}=${String(all[name])}`;
};

const metadataText = (file: ProjectFile): string | undefined => {
  const promise = metadataPromise(file);
  return promise === false ? undefined : (hashText(promise) ?? 'true');
};

const linkOf = (file: ProjectFile, { name }: ProjectPage, urlOf: UrlOf): string => {
  const { filename, url, hashes, yanked, provenance, ...others } = addressed(file, name, urlOf);
  const hash = hashText(hashes);
  const { 'requires-python': requiresPython, 'gpg-sig': hasSignature, 'upload-time': uploadTime } = others;
  const metadata = metadataText(file);
  const attributes = [
    attribute('href', `${String(url)}${hash === undefined ? '' : `#${hash}`}`),
    attribute('data-requires-python', typeof requiresPython === 'string' ? requiresPython : undefined),
    // Both names: pip before 23.2 knows only the first (PEP 714).
    attribute('data-dist-info-metadata', metadata),
    attribute('data-core-metadata', metadata),
    attribute('data-yanked', typeof yanked === 'string' ? yanked : yanked === true ? '' : undefined),
    attribute('data-gpg-sig', typeof hasSignature === 'boolean' ? String(hasSignature) : undefined),
    attribute('data-provenance', typeof provenance === 'string' ? provenance : undefined),
    attribute('data-upload-time', typeof uploadTime === 'string' ? uploadTime : undefined),
  ];
  return `<a${attributes.join('')}>${escapeHtml(filename)}</a><br>\n`;
};

const metasOf = ({ meta, 'project-status': status, 'alternate-locations': locations }: JsonObject): string[] => {
  const { 'api-version': version, tracks } = isObject(meta) ? meta : {};
  const { status: state, reason } = isObject(status) ? status : {};
  const listed = (list: unknown): unknown[] => (Array.isArray(list) ? list : []);
  const all: (readonly [string, unknown])[] = [
    ['repository-version', version],
    ...listed(tracks).map((each) => ['tracks', each] as const),
    ...listed(locations).map((each) => ['alternate-locations', each] as const),
    ['project-status', state],
    ['project-status-reason', reason],
  ];
  return all.flatMap(([name, value]) =>
    typeof value === 'string' ? [`<meta${attribute('name', `pypi:${name}`)}${attribute('content', value)}>\n`] : [],
  );
};

/** A page in HTML, from its title, the lines of its head and its links. */
export const htmlPage = (title: string, metas: readonly string[], links: readonly string[]): Buffer =>
  Buffer.from(
    `<!DOCTYPE html>\n<html>\n<head>\n${metas.join('')}<title>${escapeHtml(title)}</title>\n</head>\n<body>\n<h1>${escapeHtml(title)}</h1>\n${links.join('')}</body>\n</html>\n`,
  );

/** The page of a project in HTML (PEP 503). */
export const renderHtmlPage = (page: ProjectPage, urlOf: UrlOf): Buffer =>
  htmlPage(
    `Links for ${page.name}`,
    metasOf(page.head),
    page.files.map((file) => linkOf(file, page, urlOf)),
  );
