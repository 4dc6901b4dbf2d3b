import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ApiError } from '../../shared/errors.ts';
import type { BytesResult } from '../../shared/http/payloads.ts';
import { indexOf, readChanges } from '../../shared/packages/package-index.ts';
import type { Source, Sources } from '../../shared/packages/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import { tagsOf } from '../../shared/table/packages.ts';
import { contentIdOf } from '../../shared/table/repositories.ts';
import { type JsonObject, parseObject } from './json.ts';
import { mergeEntries, type PackageIndex } from './packument.ts';
import { tarballPath } from './paths.ts';

/** The parts of a request that reading the index of a package needs. */
export interface ReadCall {
  readonly table: Table;
  readonly params: { readonly workspace: string; readonly repository: string };
  readonly baseUrl: string;
  readonly header: (name: string) => string | undefined;
}

/** The index of a package in one source, read only as far as needed to know whether it changed. */
interface Known {
  readonly source: Source;
  readonly revision: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly load: () => Promise<PackageIndex>;
}

/** A package in the repository of the address. */
export interface NpmPackage {
  readonly name: string;
  /** It changes whenever the answer changes. */
  readonly revision: string;
  readonly origins: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly load: () => Promise<PackageIndex>;
}

/** Finds a package in the sources of an address, with one parallel query for each local source. */
export const findPackage = async (call: ReadCall, { all }: Sources, name: string): Promise<NpmPackage> => {
  const locals = await Promise.all(
    all.filter(({ repositoryType }) => repositoryType === 'local').map((source) => knownIn(call.table, source, name)),
  );
  const known = locals.filter((each) => each !== undefined);
  if (known.length === 0) throw new ApiError('PACKAGE_NOT_FOUND', `There is no package '${name}' in this repository.`);
  return {
    name,
    revision: known.map(({ revision }) => revision).join(','),
    origins: known.map(({ source }) => source.name).join(','),
    tags: Object.assign({}, ...known.map(({ tags }) => tags).toReversed()) as Record<string, string>,
    load: async () => mergeEntries(await Promise.all(known.map(({ load }) => load()))),
  };
};

const knownIn = async (table: Table, source: Source, name: string): Promise<Known | undefined> => {
  const contentId = contentIdOf(source);
  const found = await readChanges(table, { contentId, name });
  if (!found || found.head.versionCount === 0) return undefined;
  const { document, createdAt, updatedAt, revision } = found.head;
  return {
    source,
    revision: `${contentId}:${revision}`,
    tags: tagsOf(found.head),
    load: async () => {
      const { entries, tags } = await indexOf(table, found);
      const head: JsonObject | undefined = document === undefined ? undefined : parseObject(document, 'The document');
      return { entries: entries.values(), tags, ...(head && { head }), created: createdAt, modified: updatedAt };
    },
  };
};

/** The address of the tarball of a version, under the address of the request: a client may know this service by several. */
export const addressOf =
  ({ baseUrl, params: { workspace, repository } }: ReadCall, name: string) =>
  (version: string): string =>
    `${baseUrl}/npm/${encodeURIComponent(workspace)}/${encodeURIComponent(repository)}/${tarballPath(name, version)}`;

/** The maximum size of an answer: a response of Lambda has at most 6 MB in base64. */
const answerBytesMax = 4_500_000;

/**
 * Answers a document with an ETag that follows from its sources. A client that has the document costs no more than a
 * query.
 */
export const answerDocument = async (
  call: ReadCall,
  { revision, origins }: NpmPackage,
  mediaType: string,
  render: () => Promise<Buffer>,
): Promise<BytesResult> => {
  const isGzip = /\bgzip\b/i.test(call.header('accept-encoding') ?? '');
  const { workspace, repository } = call.params;
  const parts = [revision, call.baseUrl, workspace, repository, mediaType, isGzip];
  const etag = `"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}"`;
  const headers = {
    'X-Stockroom-Origin': origins,
    'Cache-Control': 'private, no-cache',
    Vary: 'Accept, Accept-Encoding',
    ...(isGzip && { 'Content-Encoding': 'gzip' }),
  };
  const isKnown = (call.header('if-none-match') ?? '')
    .split(',')
    .some((tag) => tag.trim().replace(/^W\//, '') === etag);
  if (isKnown) return { kind: 'bytes', mediaType, etag, headers };
  const document = await render();
  const content = isGzip ? await promisify(gzip)(document, { level: 3 }) : document;
  if (content.length > answerBytesMax)
    throw new ApiError(
      'PACKAGE_INVALID',
      'This document is too large for one answer: accept gzip, or the abbreviated form.',
    );
  return { kind: 'bytes', mediaType, etag, headers, content };
};
