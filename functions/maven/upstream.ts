import { config } from '../../shared/config.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import type { UpstreamDocument } from '../../shared/packages/fetch/remote-documents.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import type { UpstreamFile } from '../../shared/packages/upstream/upstream-body.ts';
import { askUpstream, type FetchRequest, forFetching } from '../../shared/packages/upstream/upstream-request.ts';
import { urlOfPath } from '../../shared/packages/upstream/url-below.ts';
import { isWebPage } from '../../shared/packages/upstream/web-pages.ts';
import { type DocumentName, upstreamPauseKey } from '../../shared/table/packages/package-keys.ts';
import { contentIdOf, type RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { defaultMetadataLimits, readMetadata } from '../../shared/upstream/read-metadata.ts';
import { UpstreamError, type UpstreamErrorKind } from '../../shared/upstream/upstream-error.ts';
import { checksumIn, checksumMediaType } from './checksums.ts';
import { type MavenMetadata, parseMetadata } from './metadata.ts';
import { type Checksum, idsOf, metadataFile, packagePath } from './paths.ts';

const pathOf = ({ name, version, file }: FileAddress): string => `${packagePath(name)}/${version}/${file}`;

/** The name of a maven-metadata.xml of an upstream. */
export const metadataName = (name: string, snapshotVersion?: string): DocumentName => ({
  name,
  document: ['metadata', snapshotVersion].filter((part) => part !== undefined).join(' '),
});

/** A maven-metadata.xml of an upstream: of a package and its group, or of a SNAPSHOT version. It is kept as it is sent. */
export const upstreamMetadata = (
  source: Pick<RemoteRepository, 'remoteRepositoryUrl'>,
  name: string,
  snapshotVersion?: string,
): UpstreamDocument<MavenMetadata> => ({
  ...metadataName(name, snapshotVersion),
  url: urlOfPath(
    source,
    [packagePath(name), snapshotVersion, metadataFile].filter((part) => part !== undefined).join('/'),
  ),
  parse: parseMetadata,
  releases: ({ versions }) => versions.map((version) => ({ id: version, version })),
});

/** The URL of the POM of a version at an upstream. */
export const pomUrl = (source: RemoteRepository, name: string, version: string): string =>
  urlOfPath(source, pathOf({ name, version, file: `${idsOf(name).artifactId}-${version}.pom` }));

/** A checksum of the upstream, for a repository that keeps no files. */
export const upstreamChecksum = (source: RemoteRepository, address: FileAddress, checksum: Checksum): UpstreamFile => ({
  url: urlOfPath(source, `${pathOf(address)}.${checksum}`),
  mediaType: checksumMediaType,
  form: 'any',
});

/** The endings of files that are zips, whoever builds them. An .rar may also be an archive of WinRAR. */
const zipEnding = /\.(?:jar|war|ear|aar|klib|nbm|zip)$/;

/** How a file must be if the upstream publishes no checksum of it; undefined for a page, which may be one of the documentation. */
const formOf = (path: string): UpstreamFile['form'] => {
  if (/\.x?html?$/i.test(path)) return undefined;
  if (path.endsWith('.pom')) return 'xml';
  return zipEnding.test(path) ? 'jar' : 'any';
};

/** The share of the time of a request in which the upstream must send a checksum. Without it, the file comes unverified. */
const checksumShare = 1 / 4;

const checksumBytesMax = 10_000;

/** The failures that leave a file unverified: the answer is slow, or is no checksum. Any other failure is one of the file, too. */
const isWithout: ReadonlySet<UpstreamErrorKind> = new Set(['aborted', 'timeout', 'too-large']);

/** The file at the upstream, with the SHA-1 that the upstream publishes beside it: it is asked for once, with the file. */
export const upstreamFile = (request: FetchRequest, source: RemoteRepository, address: FileAddress): UpstreamFile => {
  const path = pathOf(address);
  let sha1: Promise<UpstreamFile['expected']> | undefined;
  return {
    url: urlOfPath(source, path),
    mediaType: fileMediaType,
    form: formOf(path),
    isMutable: true,
    promised: async () => {
      sha1 ??= publishedSha1(request, source, `${path}.sha1`);
      return sha1;
    },
  };
};

/** The checksum that an upstream publishes in a file of its own; undefined if it has none, or does not send it soon. */
const publishedSha1 = async (
  { table, deadline }: FetchRequest,
  source: RemoteRepository,
  path: string,
): Promise<UpstreamFile['expected']> => {
  const pauseKey = upstreamPauseKey(contentIdOf(source));
  const pause = (await table.read([pauseKey])).find(pauseKey);
  const soon = AbortSignal.timeout(config.upstreamAnswerMilliseconds * checksumShare);
  const signal = AbortSignal.any([deadline, soon]);
  try {
    const question = { source, url: urlOfPath(source, path), content: 'metadata', pause, signal } as const;
    const answer = await askUpstream(forFetching(table), question);
    if (answer.kind !== 'content') return undefined;
    const content = await readMetadata(answer.response, { ...defaultMetadataLimits, bytesMax: checksumBytesMax });
    // Many sites answer every path with a page, whose texts are no checksums.
    const sha1 = isWebPage(content) ? undefined : checksumIn(content.toString(), 'sha1');
    return sha1 === undefined ? undefined : { sha1 };
  } catch (error) {
    if (error instanceof UpstreamError && isWithout.has(error.kind)) return undefined;
    throw error;
  }
};
