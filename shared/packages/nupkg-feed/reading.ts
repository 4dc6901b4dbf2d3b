import type { BytesResult, RedirectResult } from '../../http/payloads.ts';
import type { Key } from '../../table/keys.ts';
import { renderDocument } from '../formats/xml.ts';
import { isPackageId } from '../nupkg/ids.ts';
import { mergeEntries } from '../nupkg/package-entries.ts';
import { urlsOf } from '../nupkg-protocol/addresses.ts';
import { findShownVersions } from '../nupkg-protocol/completion.ts';
import { findEntries, missingVersion, type NupkgCall, type NupkgType } from '../nupkg-protocol/reading.ts';
import { findPackages, shownEntries } from '../nupkg-protocol/search.ts';
import { parseSearch } from '../nupkg-protocol/search-query.ts';
import { locatePackage, locationKeys, releaseOf } from '../nupkg-protocol/upstream-packages.ts';
import { type AnsweredDocument, answerLargeDocument } from '../serve/document-answers.ts';
import { fileEndpoint, fileIn } from '../serve/file-endpoint.ts';
import { orPending } from '../serve/pending-documents.ts';
import type { alsoReadFileOrIndex } from '../sources/package-address.ts';
import type { FileAddress } from '../sources/resolution.ts';
import type { Sources } from '../sources/sources.ts';
import { entryDocument, feedDocument, type UrlBelow } from './entries.ts';
import { type FoundRows, findRows, namesOfRequest, pageSizeOf } from './pages.ts';
import { type FeedPath, parseFeedPath } from './paths.ts';
import { countMediaType, type FeedParameters, type FeedQuery, feedMediaType, parseFeedQuery } from './queries.ts';
import { rowsOf } from './rows.ts';
import { metadataDocument } from './service-documents.ts';

/** The parts of a request that reading needs. */
export type FeedRequest = NupkgCall & { readonly query: FeedParameters & { readonly partialId?: string | undefined } };

type Answer = BytesResult | RedirectResult;

/** The IDs that complete another one. */
const idsMax = 30;

const withQuery = (url: string, query: FeedRequest['query'], changed: FeedParameters = {}): string => {
  const parameters = Object.entries({ ...query, wait: undefined, ...changed }).filter(
    ([, value]) => value !== undefined,
  );
  const text = parameters.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  return text === '' ? url : `${url}?${text}`;
};

/** The address of the page that follows; undefined if nothing does, or if the client wants no more. */
const nextUrl = (call: FeedRequest, query: FeedQuery, rowCount: number): string | undefined => {
  const { skip, top } = query;
  const size = pageSizeOf(query);
  if (rowCount <= skip + size || top === size) return undefined;
  const rest = top === undefined ? {} : { $top: top - size };
  return withQuery(call.url, call.query, { $skip: skip + size, ...rest });
};

const renderPage = async (call: FeedRequest, found: FoundRows, query: FeedQuery, urlOf: UrlBelow): Promise<Buffer> => {
  const { rows, count } = await found.load();
  const page = {
    rows: rows.slice(query.skip, query.skip + pageSizeOf(query)),
    count: query.hasCount ? count : undefined,
    next: nextUrl(call, query, rows.length),
  };
  return renderDocument(feedDocument(page, withQuery(call.url, call.query), urlOf));
};

const answerVersions = async (
  call: FeedRequest,
  sources: Sources,
  path: Extract<FeedPath, { readonly kind: 'versions' }>,
  urlOf: UrlBelow,
): Promise<Answer> => {
  const query = parseFeedQuery(call.query);
  const found = await findRows(call, sources, path, query);
  return answerLargeDocument(call, {
    ...found,
    revision: `${found.revision}/${withQuery(call.url, call.query)}`,
    fileName: 'feed.xml',
    ...(path.isCount
      ? { mediaType: countMediaType, render: async () => Buffer.from(String((await found.load()).count)) }
      : { mediaType: feedMediaType, render: async () => renderPage(call, found, query, urlOf) }),
  });
};

const answerVersion = async (
  call: FeedRequest,
  sources: Sources,
  { name, version }: Extract<FeedPath, { readonly kind: 'version' }>,
  urlOf: UrlBelow,
): Promise<Answer> => {
  const found = await findEntries(call, sources, name);
  const render = async (): Promise<Buffer> => {
    const entries = mergeEntries(await found.load());
    const row = rowsOf(entries, { filter: undefined, isDescending: false, hasSemVer2: true }).find(
      ({ entry }) => entry.key === version,
    );
    if (!row) throw missingVersion(name, version);
    return renderDocument(entryDocument(row, urlOf));
  };
  const document = { ...found, revision: `${found.revision}/${version}`, mediaType: feedMediaType, render };
  return answerLargeDocument(call, { ...document, fileName: 'entry.xml' });
};

const json = (content: unknown, headers: AnsweredDocument['headers'] = {}): BytesResult => ({
  kind: 'bytes',
  mediaType: 'application/json',
  headers,
  content: JSON.stringify(content),
});

const searchIn = ({ query }: FeedRequest, text: string | undefined) =>
  parseSearch({ q: text, prerelease: query.includePrerelease, semVerLevel: query.semVerLevel });

/** The first IDs that begin with a text. */
const answerIds = async (call: FeedRequest, sources: Sources): Promise<Answer> => {
  const { partialId = '' } = call.query;
  const search = searchIn(call, partialId);
  const begins = (name: string): boolean => name.startsWith(partialId.toLowerCase());
  const { packages, headers } = await findPackages(call.table, sources, search, begins);
  const ids: string[] = [];
  for await (const entries of packages) {
    if (ids.length === idsMax) break;
    const shown = shownEntries(entries, search).at(-1);
    if (shown && begins(shown.id.toLowerCase())) ids.push(shown.id);
  }
  return json(ids, headers);
};

const answerFeedPath = async (
  call: FeedRequest,
  sources: Sources,
  path: Exclude<FeedPath, { readonly kind: 'file' }>,
  urlOf: UrlBelow,
): Promise<Answer> => {
  if (path.kind === 'metadata') return { kind: 'bytes', mediaType: 'application/xml', content: metadata() };
  if (path.kind === 'versions') return answerVersions(call, sources, path, urlOf);
  if (path.kind === 'version') return answerVersion(call, sources, path, urlOf);
  if (path.kind === 'ids') return answerIds(call, sources);
  const { versions, headers } = await findShownVersions(call, sources, path.name, searchIn(call, ''));
  return json(versions, headers);
};

const metadata = (): Buffer => renderDocument(metadataDocument);

/** What of a request says what it is about: its path, and its query. */
interface FeedAddress {
  readonly path: string;
  readonly query: FeedParameters;
}

/** The package that a request for versions is about; undefined if it is about several, or about none. */
const packageIn = ({ path, query }: FeedAddress): { readonly name: string } | undefined => {
  const parsed = parseFeedPath(path);
  if (parsed?.kind === 'version' || parsed?.kind === 'numbers') return { name: parsed.name };
  const [name, ...others] =
    parsed?.kind === 'versions' ? (namesOfRequest(parsed.of, query.id, parseFeedQuery(query).filter) ?? []) : [];
  return name !== undefined && isPackageId(name) && others.length === 0 ? { name } : undefined;
};

/** The parts of a request before its first read. */
type UnreadRequest = Parameters<ReturnType<typeof alsoReadFileOrIndex<{ readonly path: string }>>>[0] & {
  readonly query: object;
};

/** Reads of a repository of a type, by version 2 of the protocol. */
export const feedEndpoint = (type: NupkgType) => {
  const files = fileEndpoint<FeedAddress, FileAddress>(type, {
    addressIn: fileIn(parseFeedPath),
    indexIn: packageIn,
    locate: locatePackage,
    locationKeys,
    releaseOf,
    missing: ({ name, version }) => missingVersion(name, version),
  });
  return {
    /** The heads of the package that a request names are in the first read, wherever it names it. */
    alsoRead: ({ params, query, ...request }: UnreadRequest): readonly Key[] =>
      files.alsoRead({ ...request, params: { ...params, query } }),
    /** Answers a path; undefined if the protocol has no such one. */
    answer: async (call: FeedRequest, sources: Sources, path: string): Promise<Answer | undefined> => {
      const parsed = parseFeedPath(path);
      if (!parsed) return undefined;
      if (parsed.kind === 'file') return files.serve(call, sources, parsed);
      return orPending(type, call, async () => answerFeedPath(call, sources, parsed, urlsOf(type, call).of));
    },
  };
};
