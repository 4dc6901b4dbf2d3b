import type { FetchRequest } from '../../shared/packages/asking-upstream.ts';
import { fileMediaType } from '../../shared/packages/publication.ts';
import type { UpstreamFile } from '../../shared/packages/receiving-upstream.ts';
import { type LoadedDocument, loadDocument, type UpstreamDocument } from '../../shared/packages/remote-documents.ts';
import type { RemoteRepository } from '../../shared/table/repositories.ts';
import { digestOfBytes, hexOf, isDigest } from './digests.ts';
import type { ImageReferrer } from './index-entries.ts';
import { manifestMediaTypes } from './manifest.ts';

/** The host of the registry of Docker Hub. A name without a slash is one of its own images there. */
const dockerHub = 'registry-1.docker.io';

/** The URL of an image at an upstream. What the URL of the remote repository has as a path comes before the name. */
const imageUrl = ({ remoteRepositoryUrl }: RemoteRepository, image: string): string => {
  const url = new URL(remoteRepositoryUrl);
  const isHub = url.hostname === dockerHub;
  const prefix = url.pathname.replace(/\/+$/, '').replace(/^\/v2(?=\/|$)/, '');
  const name = isHub && prefix === '' && !image.includes('/') ? `library/${image}` : image;
  return `${url.origin}/v2${prefix}/${name}`;
};

const accept = manifestMediaTypes.join(', ');

const [ociManifest = ''] = manifestMediaTypes;

/** A manifest at an upstream. */
export const upstreamManifest = (source: RemoteRepository, image: string, digest: string): UpstreamFile => ({
  url: `${imageUrl(source, image)}/manifests/${digest}`,
  mediaType: ociManifest,
  mediaTypes: manifestMediaTypes,
  accept,
  expected: { sha256: hexOf(digest) },
});

/** A blob at an upstream. */
export const upstreamBlob = (source: RemoteRepository, image: string, digest: string): UpstreamFile => ({
  url: `${imageUrl(source, image)}/blobs/${digest}`,
  mediaType: fileMediaType,
  expected: { sha256: hexOf(digest) },
});

const readJson = (bytes: Uint8Array): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;

/** Where a tag leads, from the headers of the answer to HEAD: registries count only GET against their limits. */
const tagDocument = (source: RemoteRepository, image: string, tag: string): UpstreamDocument<string> => ({
  name: image,
  document: `tag:${tag}`,
  url: `${imageUrl(source, image)}/manifests/${tag}`,
  accept,
  method: 'HEAD',
  condense: (sent, headers) => {
    const digest = headers?.['docker-content-digest'] ?? (sent.length > 0 ? digestOfBytes(sent) : '');
    if (!isDigest(digest)) throw new Error('The answer has no digest.');
    return Buffer.from(JSON.stringify({ digest }));
  },
  parse: (kept) => String(readJson(kept).digest),
});

/** Loads where a tag leads at an upstream; undefined if it has no such tag. */
export const loadTag = async (
  request: FetchRequest,
  source: RemoteRepository,
  image: string,
  tag: string,
): Promise<LoadedDocument<string> | undefined> => loadDocument(request, source, tagDocument(source, image, tag));

/** The tags that one answer of an upstream may have, and how many answers are read. */
const tagsPerPage = 1_000;
const pagesMax = 20;

/** Loads the tags of an image at an upstream, up to 20,000; undefined if it has no such image. */
export const loadTags = async (
  request: FetchRequest,
  source: RemoteRepository,
  image: string,
): Promise<{ readonly tags: readonly string[]; readonly cache: LoadedDocument<unknown>['cache'] } | undefined> => {
  const tags: string[] = [];
  let cache: LoadedDocument<unknown>['cache'] | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const last = tags.at(-1) ?? '';
    const after = last === '' ? '' : `&last=${encodeURIComponent(last)}`;
    const loaded = await loadDocument(request, source, {
      name: image,
      document: `tags:${last}`,
      url: `${imageUrl(source, image)}/tags/list?n=${tagsPerPage}${after}`,
      parse: (kept) => ((readJson(kept).tags ?? []) as readonly unknown[]).map(String),
    });
    const found = await loaded?.read();
    cache ??= loaded?.cache;
    // An upstream that ignores where to go on sends the same tags again.
    if (!found || found.every((tag) => tags.includes(tag))) break;
    tags.push(...found);
    if (found.length < tagsPerPage) break;
  }
  return cache && { tags, cache };
};

const isReferrer = (value: unknown): value is ImageReferrer =>
  typeof value === 'object' && value !== null && 'digest' in value && isDigest(String(value.digest));

/** Loads the manifests about another one at an upstream. */
export const loadReferrers = async (
  request: FetchRequest,
  source: RemoteRepository,
  image: string,
  digest: string,
): Promise<readonly ImageReferrer[]> => {
  const loaded = await loadDocument(request, source, {
    name: image,
    document: `referrers:${digest}`,
    url: `${imageUrl(source, image)}/referrers/${digest}`,
    parse: (kept) => ((readJson(kept).manifests ?? []) as readonly unknown[]).filter(isReferrer),
  });
  return (await loaded?.read()) ?? [];
};
