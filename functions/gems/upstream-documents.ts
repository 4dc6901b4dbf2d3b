import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { documentKeys, loadDocument, type UpstreamDocument } from '../../shared/packages/fetch/remote-documents.ts';
import { type ReleaseOf, releaseById } from '../../shared/packages/gate/gated-file.ts';
import { amongAll, listedReleases, type PackageReleases } from '../../shared/packages/gate/version-releases.ts';
import type { UpstreamFile } from '../../shared/packages/upstream/upstream-body.ts';
import type { FetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import { urlBelow } from '../../shared/packages/upstream/url-below.ts';
import type { Key } from '../../shared/table/keys.ts';
import type { DocumentName } from '../../shared/table/packages/package-keys.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { linesOf } from './compact-index.ts';
import { releasesOf } from './gate.ts';
import { checksumIn, type InfoLine, readInfoLine } from './info-lines.ts';
import { packageNameOf } from './names.ts';
import { filePath, type GemFile } from './paths.ts';

/** Reads the versions of a gem. What is no version of RubyGems is left out. */
export const readInfo = (document: Uint8Array): readonly InfoLine[] =>
  linesOf(document, 'info').flatMap((line) => readInfoLine(line) ?? []);

/** The name of the document of a gem at an upstream, which is found under one spelling. */
export const infoName = (gem: string): DocumentName => ({ name: packageNameOf(gem), document: `info/${gem}` });

/** The versions of a gem at an upstream. */
export const upstreamInfo = (
  { remoteRepositoryUrl }: RemoteRepository,
  gem: string,
): UpstreamDocument<readonly InfoLine[]> => ({
  ...infoName(gem),
  url: urlBelow(remoteRepositoryUrl, `info/${encodeURIComponent(gem)}`),
  parse: readInfo,
  releases: releasesOf,
});

/** The keys of the items that say what an upstream promises of a file. */
export const fileLocationKeys = (source: RemoteRepository, { full }: GemFile): readonly Key[] =>
  documentKeys(source, infoName(full.name));

/** What an upstream says of the version in a path. */
export const releaseOf: ReleaseOf<GemFile> = async (request, source, { full, version }) =>
  releaseById(request, source, upstreamInfo(source, full.name), version);

/** What an upstream says of all versions of a gem. */
export const packageReleases: PackageReleases = async (request, source, name) => {
  const info = upstreamInfo(source, name);
  return listedReleases(await loadDocument(request, source, info), info.releases);
};

/** The same of one version. */
export const versionReleases = amongAll(packageReleases);

/** The URL of a file at an upstream. Of a gem, the upstream promises the hash. */
export const locateFile = async (
  request: FetchRequest,
  source: RemoteRepository,
  { full, version, file }: GemFile,
): Promise<UpstreamFile | undefined> => {
  const info = await loadDocument(request, source, upstreamInfo(source, full.name));
  const line = (await info?.read())?.find(({ key }) => key === version);
  if (!line) return undefined;
  const found = {
    url: urlBelow(source.remoteRepositoryUrl, filePath(file)),
    mediaType: fileMediaType,
    form: 'any',
  } as const;
  const sha256 = file.endsWith('.gem') ? checksumIn(line) : undefined;
  return { ...found, ...(sha256 !== undefined && { expected: { sha256 } }) };
};
