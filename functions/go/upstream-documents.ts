import type { UpstreamDocument } from '../../shared/packages/fetch/remote-documents.ts';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import type { Release } from '../../shared/packages/releases/gate-of.ts';
import type { UpstreamFile } from '../../shared/packages/upstream/upstream-body.ts';
import { urlBelow } from '../../shared/packages/upstream/url-below.ts';
import { type FileForm, isWebPage } from '../../shared/packages/upstream/web-pages.ts';
import type { DocumentName } from '../../shared/table/packages/package-keys.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { escapedText } from './escapes.ts';
import { mediaTypes } from './media-types.ts';
import type { FileKind } from './paths.ts';
import { parseInfo, type VersionInfo } from './version-info.ts';
import { isCanonical } from './versions.ts';

type UpstreamUrl = Pick<RemoteRepository, 'remoteRepositoryUrl'>;

/** The name of the versions of a module that an upstream lists. */
export const listName = (name: string): DocumentName => ({ name, document: 'list' });

/**
 * The versions of a module that an upstream lists. Some list pseudo-versions and have no `@latest`: go then takes the newest of
 * them. A line may have a time behind the version.
 */
export const upstreamList = (source: UpstreamUrl, name: string): UpstreamDocument<readonly string[]> => ({
  ...listName(name),
  url: urlBelow(source.remoteRepositoryUrl, `${escapedText(name)}/@v/list`),
  parse: (kept) => versionsIn(Buffer.from(kept).toString()),
  releases: (versions) => versions.map((version) => ({ id: version, version })),
});

/** Some proxies list branches, too. A page of a portal has lines without any version, or begins like HTML or JSON. */
export const versionsIn = (list: string): readonly string[] => {
  const lines = list.split('\n').map((line) => line.trim().split(/\s+/)[0] ?? '');
  const versions = lines.filter(isCanonical);
  const last = lines.at(-1) ?? '';
  const isCut = /^v\d/.test(last) && !isCanonical(last);
  if (isCut || (versions.length === 0 ? list.trim() !== '' : /^\s*[<{]/.test(list)))
    throw malformed('The answer of the upstream is no list of versions.');
  return versions;
};

/** The version that a document is about. Of a name that moves, it is new when it comes to stand for it, whatever its author wrote. */
const committedRelease = ({ version, committedAt }: VersionInfo): readonly Release[] => [
  { id: version, version, publishedAt: committedAt, isAuthorsTime: true },
];

/** The name of the version that an upstream calls the latest. */
export const latestName = (name: string): DocumentName => ({ name, document: 'latest' });

/** The version that an upstream calls the latest. */
export const upstreamLatest = (source: UpstreamUrl, name: string): UpstreamDocument<VersionInfo> => ({
  ...latestName(name),
  url: urlBelow(source.remoteRepositoryUrl, `${escapedText(name)}/@latest`),
  parse: (kept) => parseInfo(kept),
  releases: committedRelease,
});

/** The version that a branch, a tag or a part of a version stands for at an upstream. It may be another one tomorrow. */
export const upstreamQuery = (source: UpstreamUrl, name: string, query: string): UpstreamDocument<VersionInfo> => ({
  name,
  document: `query ${query}`,
  url: urlBelow(source.remoteRepositoryUrl, `${escapedText(name)}/@v/${encodeURIComponent(escapedText(query))}.info`),
  parse: (kept) => parseInfo(kept),
  releases: committedRelease,
});

/** What an upstream says of a version. */
export const upstreamInfo = (source: UpstreamUrl, name: string, version: string): UpstreamDocument<VersionInfo> => ({
  name,
  document: `info ${version}`,
  url: urlBelow(source.remoteRepositoryUrl, `${escapedText(name)}/@v/${escapedText(version)}.info`),
  parse: (kept) => parseInfo(kept, version),
  releases: committedRelease,
});

/** The name of the package that checksums are cached under. It is no module path, because it has no dot. */
export const checksumsName = 'sumdb';

/** What a checksum database answers, as an upstream passes it on. */
export const upstreamChecksums = (
  source: UpstreamUrl,
  database: string,
  path: string,
): UpstreamDocument<Uint8Array> => ({
  name: checksumsName,
  document: `${database}/${path}`,
  url: urlBelow(source.remoteRepositoryUrl, `sumdb/${database}/${path}`),
  parse: (kept) => {
    // A tile is of any bytes, all else is text (go.dev/ref/mod#checksum-database).
    const isJson = !path.startsWith('tile/') && kept[0] === '{'.charCodeAt(0);
    if (isJson || isWebPage(kept)) throw malformed('The answer of the upstream is none of a checksum database.');
    return kept;
  },
});

/** What is stored as a file: an `.info` is a document, because it is written anew. */
export type StoredKind = Exclude<FileKind, 'info'>;

/** No proxy promises a hash of its files: go itself compares them with the checksum database. */
const forms = { mod: 'any', zip: 'zip' } as const satisfies Record<StoredKind, FileForm>;

/** The URL of a file of a version at an upstream. */
export const upstreamFile = (
  source: UpstreamUrl,
  { name, version, fileKind }: { readonly name: string; readonly version: string; readonly fileKind: StoredKind },
): UpstreamFile => ({
  url: urlBelow(source.remoteRepositoryUrl, `${escapedText(name)}/@v/${escapedText(version)}.${fileKind}`),
  mediaType: mediaTypes[fileKind],
  form: forms[fileKind],
});
