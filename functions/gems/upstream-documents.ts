import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { documentKeys, loadDocument, type UpstreamDocument } from '../../shared/packages/fetch/remote-documents.ts';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { type ReleaseOf, releaseById } from '../../shared/packages/gate/gated-file.ts';
import {
  listedReleases,
  ofVersion,
  type PackageReleases,
  type VersionReleases,
} from '../../shared/packages/gate/version-releases.ts';
import type { RepositoryIndex } from '../../shared/packages/serve/repository-index.ts';
import type { UpstreamFile } from '../../shared/packages/upstream/upstream-body.ts';
import type { FetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import { urlBelow } from '../../shared/packages/upstream/url-below.ts';
import type { Key } from '../../shared/table/keys.ts';
import type { DocumentName } from '../../shared/table/packages/package-keys.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { additionsTo, releasesOf } from './gate.ts';
import { checksumIn, type InfoLine, readInfoLine } from './info-lines.ts';
import { isGemName, packageNameOf } from './names.ts';
import { filePath, type GemFile } from './paths.ts';
import { readVersions } from './versions-list.ts';

/** The lines of a document of the compact index, behind the line `---`. Throws a FormatProblem if there is no such line, or the last has no end. */
const linesOf = (document: Uint8Array, name: string): readonly string[] => {
  const text = Buffer.from(document.buffer, document.byteOffset, document.length).toString();
  if (!text.endsWith('\n')) throw malformed(`${name} of the upstream was cut.`);
  const lines = text.split('\n');
  const at = lines.indexOf('---');
  if (at < 0) throw malformed(`${name} of the upstream has no line with ---.`);
  return lines.slice(at + 1).filter((line) => line !== '');
};

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

/** Packs the list of all gems: a line for each, whatever its history. */
export const packVersions = (sent: Uint8Array): Buffer => {
  const gems = [...readVersions(linesOf(sent, 'versions')).values()];
  const known = gems.filter(({ name, versions }) => isGemName(name) && versions.length > 0);
  const lines = known.map(({ name, versions, md5 }) => `${name} ${versions.join()} ${md5}\n`);
  return Buffer.from(lines.join(''));
};

/** Reads what `packVersions` made, as one entry for each gem: an index of rubygems.org has two millions of versions. */
export const unpackVersions = (kept: Uint8Array, repositoryId: string): RepositoryIndex => {
  const lines = Buffer.from(kept.buffer, kept.byteOffset, kept.length).toString().split('\n').slice(0, -1);
  const entries = lines.map((line) => {
    const [name = '', versions = '', md5 = ''] = line.split(' ');
    return { name: packageNameOf(name), version: `${repositoryId} ${name}`, parts: [name, '', versions, md5] };
  });
  return { entries, updatedAt: undefined };
};

/** The name of the list of all gems at an upstream, which is no name of a gem. */
export const versionsName: DocumentName = { name: '*', document: 'versions' };

/** The list of all gems at an upstream. */
export const upstreamVersions = ({
  remoteRepositoryUrl,
  repositoryId,
}: RemoteRepository): UpstreamDocument<RepositoryIndex> => ({
  ...versionsName,
  url: urlBelow(remoteRepositoryUrl, 'versions'),
  condense: packVersions,
  parse: (kept) => unpackVersions(kept, repositoryId),
  additions: additionsTo,
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
export const versionReleases: VersionReleases = async (request, source, asked) =>
  ofVersion(await packageReleases(request, source, asked.name), asked);

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
