import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { documentKeys, loadDocument, type UpstreamDocument } from '../../shared/packages/fetch/remote-documents.ts';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { parseObject } from '../../shared/packages/formats/json-objects.ts';
import { type ReleaseOf, releaseById } from '../../shared/packages/gate/gated-file.ts';
import { amongAll, listedReleases, type PackageReleases } from '../../shared/packages/gate/version-releases.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import { plainUrl } from '../../shared/packages/sources/type-facts.ts';
import type { UpstreamFile } from '../../shared/packages/upstream/upstream-body.ts';
import { type FetchRequest, ifKept } from '../../shared/packages/upstream/upstream-request.ts';
import { urlBelow } from '../../shared/packages/upstream/url-below.ts';
import type { Key } from '../../shared/table/keys.ts';
import type { DocumentName } from '../../shared/table/packages/package-keys.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import type { VersionParams } from './files.ts';
import { releasesOf } from './gate.ts';
import { fieldsOf, type IndexLine, readLine } from './index-lines.ts';
import { indexPathOf, packageNameOf, prefixOf } from './names.ts';
import { versionOf } from './versions.ts';

type Upstream = Pick<RemoteRepository, 'packageType' | 'remoteRepositoryUrl'>;

/** The URL of a file of a sparse index. */
const indexUrl = ({ packageType, remoteRepositoryUrl }: Upstream, path: string): string =>
  urlBelow(plainUrl(packageType, remoteRepositoryUrl), path);

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();

/** The name of the versions of a crate at an upstream. Each spelling is a document: an upstream has the crate under one of them. */
export const indexName = (crate: string): DocumentName => ({ name: packageNameOf(crate), document: `index ${crate}` });

/** The versions of a crate at an upstream. */
export const upstreamIndex = (source: Upstream, crate: string): UpstreamDocument<readonly IndexLine[]> => ({
  ...indexName(crate),
  url: indexUrl(source, indexPathOf(crate)),
  accept: 'text/plain, */*',
  parse: (kept) => {
    const texts = textOf(kept).split('\n');
    // The last line may lack its end, but not a part of its JSON.
    if (texts.at(-1)?.trim() && !fieldsOf(texts.at(-1) ?? '')) throw malformed('The index of the upstream was cut.');
    const lines = texts.map(readLine).filter((line) => line?.name.toLowerCase() === crate);
    if (lines.length === 0) throw malformed('The index of the upstream has no version of the crate.');
    return lines.filter((line) => line !== undefined);
  },
  releases: releasesOf,
});

/** What the index of an upstream says of the version in a path. */
export const releaseOf: ReleaseOf<FileAddress & { readonly asked: VersionParams }> = async (
  request,
  source,
  { version, asked: { crate } },
) => releaseById(request, source, upstreamIndex(source, crate.toLowerCase()), version);

/** What the index of an upstream says of all versions of a crate, by the name of its package, which is the same for a crate with `_`: an upstream has one of the two spellings. */
export const packageReleases: PackageReleases = async (request, source, name) => {
  const load = async (crate: string) => {
    const index = upstreamIndex(source, crate);
    const loaded = await loadDocument(request, source, index);
    return loaded && listedReleases(loaded, index.releases);
  };
  const other = name.replaceAll('-', '_');
  return (other === name ? undefined : await ifKept(load(name))) ?? (await load(other)) ?? [];
};

/** The same of one version. */
export const versionReleases = amongAll(packageReleases);

/** What an upstream says of itself in config.json. */
interface UpstreamConfig {
  /** The address of its files, which may have markers. */
  readonly dl: string;
}

/** No crate has this name: its dot is not allowed. */
const configFile = 'config.json';

/** The URL of the settings of an upstream. */
export const configUrl = (source: Upstream): string => indexUrl(source, configFile);

/** The settings of an upstream. */
const upstreamConfig = (source: Upstream): UpstreamDocument<UpstreamConfig> => ({
  name: configFile,
  document: 'config',
  url: configUrl(source),
  accept: 'application/json',
  parse: (kept) => {
    const { dl } = parseObject(textOf(kept), 'The config.json of the upstream');
    if (typeof dl !== 'string') throw malformed('The config.json of the upstream has no address for downloads.');
    return { dl };
  },
});

/** Fills an address for downloads in (doc.rust-lang.org/cargo/reference/registry-index.html#index-configuration). */
const downloadAddress = (dl: string, { crate, version }: VersionParams, cksum: string): string => {
  const markers: Readonly<Record<string, string>> = {
    '{crate}': crate,
    '{version}': version,
    '{prefix}': prefixOf(crate),
    '{lowerprefix}': prefixOf(crate.toLowerCase()),
    '{sha256-checksum}': cksum,
  };
  const isMarked = Object.keys(markers).some((marker) => dl.includes(marker));
  const template = isMarked ? dl : `${dl.replace(/\/$/, '')}/{crate}/{version}/download`;
  return template.replaceAll(/\{[a-z0-9-]+\}/g, (marker) => markers[marker] ?? marker);
};

/** The keys of the items that say where the crates of a name are. */
export const crateLocationKeys = (source: RemoteRepository, { crate }: VersionParams): readonly Key[] => [
  ...documentKeys(source, indexName(crate.toLowerCase())),
  ...documentKeys(source, upstreamConfig(source)),
];

/** The URL of the file of a version at an upstream, and the hash that the index promises. */
export const locateCrate = async (
  request: FetchRequest,
  source: RemoteRepository,
  { crate, version }: VersionParams,
): Promise<UpstreamFile | undefined> => {
  const [index, config] = await Promise.all([
    loadDocument(request, source, upstreamIndex(source, crate.toLowerCase())),
    loadDocument(request, source, upstreamConfig(source)),
  ]);
  const line = (await index?.read())?.find((each) => each.version === versionOf(version));
  const { dl } = (await config?.read()) ?? {};
  if (!line || dl === undefined) return undefined;
  const { vers, cksum } = fieldsOf(line.text) ?? {};
  if (typeof vers !== 'string' || typeof cksum !== 'string' || !/^[0-9a-f]{64}$/i.test(cksum)) return undefined;
  const sha256 = cksum.toLowerCase();
  return {
    url: downloadAddress(dl, { crate: line.name, version: vers }, sha256),
    mediaType: fileMediaType,
    expected: { sha256 },
  };
};
