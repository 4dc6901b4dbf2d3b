import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import {
  type LoadedDocument,
  loadDocument,
  type UpstreamDocument,
} from '../../shared/packages/fetch/remote-documents.ts';
import { looseFiles } from '../../shared/packages/loose-files/loose-preparation.ts';
import { ownTypeOf } from '../../shared/packages/upstream/own-media-type.ts';
import type { UpstreamFile } from '../../shared/packages/upstream/upstream-body.ts';
import type { FetchRequest, ReceivedAnswer } from '../../shared/packages/upstream/upstream-request.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { digestOfBytes } from './digest-of-bytes.ts';
import { hexOf, isDigest } from './digests.ts';
import { manifestMediaTypes, ociIndex, ociManifest } from './manifest.ts';

/** The host of the registry of Docker Hub. A name without a slash is one of its own images there. */
const dockerHub = 'registry-1.docker.io';

/** The URL of an image at an upstream. What the URL of the remote repository has as a path comes before the name. */
export const imageUrl = ({ remoteRepositoryUrl }: RemoteRepository, image: string): string => {
  const url = new URL(remoteRepositoryUrl);
  const isHub = url.hostname === dockerHub;
  const prefix = url.pathname.replace(/\/+$/, '').replace(/^\/v2(?=\/|$)/, '');
  const name = isHub && prefix === '' && !image.includes('/') ? `library/${image}` : image;
  return `${url.origin}/v2${prefix}/${name}`;
};

const accept = manifestMediaTypes.join(', ');

/** A manifest at an upstream, some of which give it no media type, or that of any JSON. */
export const upstreamManifest = (source: RemoteRepository, image: string, digest: string): UpstreamFile => {
  const manifest: UpstreamFile = {
    url: `${imageUrl(source, image)}/manifests/${digest}`,
    mediaType: ociManifest,
    mediaTypes: manifestMediaTypes,
    memberTypes: { manifests: ociIndex, config: ociManifest },
    accept,
    expected: { sha256: hexOf(digest) },
  };
  return { ...manifest, typeOf: ownTypeOf(manifest) };
};

/** A blob at an upstream. */
export const upstreamBlob = (source: RemoteRepository, image: string, digest: string): UpstreamFile => ({
  url: `${imageUrl(source, image)}/blobs/${digest}`,
  mediaType: fileMediaType,
  expected: { sha256: hexOf(digest) },
  loose: looseFiles,
});

const readJson = (bytes: Uint8Array): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;

/** The list in an answer of JSON. Registries that are written in Go may send null for an empty one. */
export const listIn = (sent: Uint8Array, name: 'tags' | 'manifests'): readonly unknown[] => {
  const list = readJson(sent)[name];
  if (list === null) return [];
  if (!Array.isArray(list)) throw new Error(`The answer has no ${name}.`);
  return list as readonly unknown[];
};

/** The digest of a manifest that was sent. The page of a portal has none. */
const digestOfManifest = (sent: Uint8Array): string => {
  if (readJson(sent).schemaVersion !== 2) throw new Error('The answer is no manifest.');
  return digestOfBytes(sent);
};

/** The digest in the headers of an answer, which is optional (distribution-spec 1.1, "Checking if content exists in the registry"). */
const digestInHeaders = (headers: ReceivedAnswer['headers']): string | undefined => {
  const digest = headers['docker-content-digest'];
  return digest !== undefined && isDigest(digest) ? digest : undefined;
};

/**
 * Loads where a tag leads at an upstream; undefined if it has no such tag. HEAD comes first, because registries count only GET
 * against their limits. Where its answer has no digest, the manifest itself is hashed.
 */
export const loadTag = async (
  request: FetchRequest,
  source: RemoteRepository,
  image: string,
  tag: string,
): Promise<LoadedDocument<string> | undefined> =>
  loadDocument(request, source, {
    name: image,
    document: `tag:${tag}`,
    url: `${imageUrl(source, image)}/manifests/${tag}`,
    accept,
    isInHeaders: (headers) => digestInHeaders(headers) !== undefined,
    condense: (sent, { headers }) => {
      const digest = sent.length === 0 ? digestInHeaders(headers) : undefined;
      return Buffer.from(JSON.stringify({ digest: digest ?? digestOfManifest(sent) }));
    },
    parse: (kept) => String(readJson(kept).digest),
  });

/**
 * The tags that are asked for at once, how many answers are read of a list, how many tags are taken of all together, and the longest query
 * that an answer may lead to.
 */
const tagsPerPage = 1_000;
const pagesMax = 20;
const tagsMax = 100_000;
const queryLengthMax = 500;

/** The tags in one answer of an upstream, and the query that asks for the next ones, if it says so. */
interface UpstreamTags {
  readonly tags: readonly string[];
  readonly next?: string | undefined;
}

const linkValue = /<([^<>]+)>((?:[^<>",]|"[^"]*")*)/g;
const linkParameter = /;\s*([^\s;=]+)\s*(?:=\s*(?:"([^"]*)"|([^\s;"]*)))?/g;

const isRelNext = ([, name = '', quoted, token = '']: RegExpExecArray): boolean =>
  name.toLowerCase() === 'rel' && (quoted ?? token).toLowerCase().split(/\s+/).includes('next');

/** The query of the next page in a Link header (RFC 8288 section 3). Its host and its path are not followed. */
export const nextQuery = (link: string | undefined, url: string): string | undefined => {
  const links = Array.from((link ?? '').matchAll(linkValue));
  const target = links.find(([, , rest = '']) => Array.from(rest.matchAll(linkParameter)).some(isRelNext))?.[1];
  const { search } = new URL(target !== undefined && URL.canParse(target, url) ? target : '?', url);
  return search.length > 1 && search.length <= queryLengthMax ? search : undefined;
};

/** Loads the pages of a list, up to 20 and none twice, until one is not there or leads to no other. */
export const pagesFrom = async function* <P extends { readonly next?: string | undefined }>(
  first: string,
  load: (query: string) => Promise<P | undefined>,
): AsyncGenerator<P> {
  const asked = new Set<string>();
  let query: string | undefined = first;
  while (query !== undefined && asked.size < pagesMax && !asked.has(query)) {
    asked.add(query);
    const page: P | undefined = await load(query);
    if (page) yield page;
    query = page?.next;
  }
};

const queryAfter = (last: string): string =>
  `?n=${tagsPerPage}${last === '' ? '' : `&last=${encodeURIComponent(last)}`}`;

const tagsDocument = (source: RemoteRepository, image: string, query: string): UpstreamDocument<UpstreamTags> => {
  const url = `${imageUrl(source, image)}/tags/list${query}`;
  return {
    name: image,
    document: `tags:${query}`,
    url,
    condense: (sent, { headers }) => {
      const tags = listIn(sent, 'tags').map(String);
      return Buffer.from(JSON.stringify({ tags, next: nextQuery(headers.link, url) } satisfies UpstreamTags));
    },
    parse: (kept) => JSON.parse(Buffer.from(kept).toString()) as UpstreamTags,
  };
};

/** Loads the tags of an image at an upstream, from up to 20 answers; undefined if it has no such image. */
export const loadTags = async (
  request: FetchRequest,
  source: RemoteRepository,
  image: string,
): Promise<{ readonly tags: readonly string[]; readonly cache: LoadedDocument<unknown>['cache'] } | undefined> => {
  const load = async (query: string) => {
    const loaded = await loadDocument(request, source, tagsDocument(source, image, query));
    const found = await loaded?.read();
    if (!loaded || !found) return undefined;
    // Many registries send fewer tags than they were asked for.
    const following = found.tags.length < tagsPerPage ? undefined : queryAfter(found.tags.at(-1) ?? '');
    return { tags: found.tags, next: found.next ?? following, cache: loaded.cache };
  };
  const tags = new Set<string>();
  let cache: LoadedDocument<unknown>['cache'] | undefined;
  for await (const page of pagesFrom(queryAfter(''), load)) {
    cache ??= page.cache;
    for (const tag of page.tags) if (tags.size < tagsMax) tags.add(tag);
  }
  return cache && { tags: [...tags], cache };
};
