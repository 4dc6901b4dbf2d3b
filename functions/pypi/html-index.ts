import type { JsonObject } from '../../shared/packages/formats/json-objects.ts';
import { type HtmlTag, htmlTags } from './html-tags.ts';
import type { ProjectFile, ProjectFiles } from './project-files.ts';

/** The endings of files of projects. Old indexes also link to home pages and to folders. */
const fileEnding = /\.(?:whl|egg|tar\.(?:gz|bz2|xz|Z)|tgz|tar|zip|exe|msi|rpm|deb|dmg)$/;

/** A hash in the fragment of a link (PEP 503). */
const hashFragment = /^#(?<algorithm>md5|sha1|sha224|sha256|sha384|sha512)=(?<hex>[0-9a-f]+)/i;

/** The last segment of a URL, which is the name of its file. */
const fileNameOf = ({ pathname }: URL): string => {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
};

const hashesOf = ({ hash }: URL): Record<string, string> => {
  const { algorithm = '', hex = '' } = hashFragment.exec(hash)?.groups ?? {};
  return algorithm === '' ? {} : { [algorithm.toLowerCase()]: hex.toLowerCase() };
};

/** The value of `data-core-metadata`: a hash as `sha256=…`, or any other text if the file has metadata. */
const metadataOf = (value: string): unknown => {
  const [, algorithm, hex] = /^(\w+)=([0-9a-f]+)$/i.exec(value) ?? [];
  return algorithm !== undefined && hex !== undefined ? { [algorithm.toLowerCase()]: hex.toLowerCase() } : true;
};

/** What an attribute of a link is in a page of JSON (PEP 691). */
const members: Readonly<Record<string, (value: string) => readonly [string, unknown]>> = {
  'data-requires-python': (value) => ['requires-python', value],
  'data-yanked': (value) => ['yanked', value === '' ? true : value],
  'data-gpg-sig': (value) => ['gpg-sig', value === 'true'],
  'data-core-metadata': (value) => ['core-metadata', metadataOf(value)],
  'data-dist-info-metadata': (value) => ['core-metadata', metadataOf(value)],
  'data-provenance': (value) => ['provenance', value],
  // Of no specification, but several indexes have it, and uv reads it.
  'data-upload-time': (value) => ['upload-time', value],
};

const fileIn = ({ attributes }: HtmlTag, base: string): ProjectFile | undefined => {
  const url = URL.parse(attributes.get('href')?.trim() ?? '', base);
  if (!url || !attributes.has('href')) return undefined;
  const filename = fileNameOf(url);
  if (!fileEnding.test(filename)) return undefined;
  const described = Object.entries(members).flatMap(([name, member]) => {
    const value = attributes.get(name);
    return value === undefined ? [] : [member(value)];
  });
  return { filename, url: url.href, hashes: hashesOf(url), ...Object.fromEntries(described) };
};

/** What `<meta name="pypi:…">` says (PEP 629, PEP 708, PEP 792). */
const headOf = (metas: readonly (readonly [name: string, content: string])[]): JsonObject => {
  const valuesOf = (name: string) => metas.filter(([each]) => each === `pypi:${name}`).map(([, content]) => content);
  const [version = '1.0'] = valuesOf('repository-version');
  const [status] = valuesOf('project-status');
  const [reason] = valuesOf('project-status-reason');
  const tracks = valuesOf('tracks');
  const locations = valuesOf('alternate-locations');
  return {
    meta: { 'api-version': version, ...(tracks.length > 0 && { tracks }) },
    ...(locations.length > 0 && { 'alternate-locations': locations }),
    ...(status !== undefined && { 'project-status': { status, ...(reason !== undefined && { reason }) } }),
  };
};

/** Reads a page of an index in HTML (PEP 503). `url` is that of the page. */
export const parseHtmlPage = (html: string, url: string): ProjectFiles => {
  const files: ProjectFile[] = [];
  const metas: [string, string][] = [];
  let base = url;
  for (const tag of htmlTags(html)) {
    const { name, attributes } = tag;
    if (name === 'base') base = URL.parse(attributes.get('href') ?? '', url)?.href ?? base;
    if (name === 'meta') metas.push([attributes.get('name') ?? '', attributes.get('content') ?? '']);
    const file = name === 'a' ? fileIn(tag, base) : undefined;
    if (file) files.push(file);
  }
  return { head: headOf(metas), versions: undefined, files };
};
