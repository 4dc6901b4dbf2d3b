import { hash } from 'node:crypto';
import { ApiError } from '../../shared/errors.ts';
import { type Element, textOf } from '../../shared/packages/formats/xml.ts';
import { originHeaders } from '../../shared/packages/serve/origin-headers.ts';
import { type FoundIndexes, findIndexes, type IndexCall } from '../../shared/packages/serve/package-indexes.ts';
import { isRemote } from '../../shared/packages/sources/resolution.ts';
import { isAllowed, isBlocked, type Sources } from '../../shared/packages/sources/sources.ts';
import { isUpstreamRefusal } from '../../shared/packages/upstream/upstream-request.ts';
import { datedMetadata, metadataGate, snapshotGate } from './gate.ts';
import { artifactMetadata, snapshotMetadata } from './index-entries.ts';
import { type MavenMetadata, mergeMetadata, renderMetadata } from './metadata.ts';
import { type MavenPath, packageName } from './paths.ts';
import { findLocalGroup, heldArtifacts, type LocalGroup, withoutBlocked } from './plugins.ts';
import { upstreamMetadata } from './upstream.ts';

/** A path of metadata. */
export type MetadataPath = Exclude<MavenPath, { readonly kind: 'file' }>;

/** The metadata of a path. */
export type FoundMetadata = Pick<FoundIndexes<unknown>, 'name' | 'revision' | 'headers'> & {
  readonly render: () => Promise<Buffer>;
};

/** Renders metadata. Those of a single upstream are rendered, too: what it sends would be shown as a page of this service. */
const rendered = (all: readonly MavenMetadata[]): Buffer => {
  const [first, ...others] = all;
  return renderMetadata(first && others.length === 0 ? first : mergeMetadata(all));
};

/** Finds the metadata of a SNAPSHOT version. A local source that has the package may not have the version. */
const findSnapshot = async (
  call: IndexCall,
  sources: Sources,
  { name, version }: Extract<MetadataPath, { readonly kind: 'snapshot-metadata' }>,
): Promise<FoundMetadata> => {
  const found = await findIndexes<MavenMetadata | undefined>(call, sources, {
    name,
    ofLocal: (index) => snapshotMetadata(name, version, index),
    ofUpstream: (source) => upstreamMetadata(source, name, version),
    gate: snapshotGate(version),
  });
  const known = (await found.load()).filter((each) => each !== undefined);
  if (known.length === 0) throw new ApiError('FILE_NOT_FOUND', `There is no version ${version} of ${name}.`);
  return { ...found, revision: `${found.revision}/${version}`, render: async () => rendered(known) };
};

/** The metadata of the artifact in the sources; the refusal if there are none, or no upstream could be asked. */
const findArtifact = async (call: IndexCall, sources: Sources, name: string) => {
  try {
    return await findIndexes<MavenMetadata>(call, sources, {
      name,
      ofLocal: (index) => artifactMetadata(name, index),
      ofUpstream: (source) => datedMetadata(source, name),
      gate: metadataGate,
    });
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'PACKAGE_NOT_FOUND' || isUpstreamRefusal(error))) return error;
    throw error;
  }
};

const pluginsOnly = ({ plugins }: Pick<MavenMetadata, 'plugins'>): MavenMetadata => ({
  attributes: {},
  fields: [],
  versioning: undefined,
  versions: [],
  snapshotVersions: [],
  plugins,
});

/** Metadata of upstreams without the plugins that a local source holds, whose prefixes lead to local versions, and without those that no upstream may be asked for. */
const withoutHeld = async (
  { table }: IndexCall,
  sources: Sources,
  group: string,
  all: readonly MavenMetadata[],
): Promise<readonly MavenMetadata[]> => {
  const { upstreamNames } = sources;
  const idOf = (plugin: Element): string => textOf(plugin, 'artifactId') ?? '';
  const ids = all.flatMap(({ plugins }) => plugins.map(idOf));
  const asked = ids.filter((id) => !isAllowed(packageName(group, id), upstreamNames));
  const held = await heldArtifacts(table, sources, group, asked);
  const isShown = (id: string): boolean => !held.has(id) && !isBlocked(packageName(group, id), upstreamNames);
  return all.map((each) => ({ ...each, plugins: each.plugins.filter((plugin) => isShown(idOf(plugin))) }));
};

/** A text that changes whenever the plugins of a group change. */
const revisionOf = (plugins: unknown): string => hash('sha256', JSON.stringify(plugins), 'base64url');

const noGroup: LocalGroup = { plugins: [], sources: [] };

/** Finds the metadata of an artifact, and the plugins of the group that has the same path. */
const findArtifactAndGroup = async (
  call: IndexCall,
  sources: Sources,
  path: Extract<MetadataPath, { readonly kind: 'metadata' }>,
): Promise<FoundMetadata> => {
  const { name, group } = path;
  const [artifact, local] = await Promise.all([
    // A group of one segment is no artifact, but an upstream may have plugins in it.
    findArtifact(call, withoutBlocked(sources, path), name ?? packageName('', group ?? '')),
    group === undefined ? noGroup : findLocalGroup(call, sources, group),
  ]);
  const { plugins } = local;
  if (artifact instanceof ApiError && plugins.length === 0) throw artifact;
  const ours = plugins.length > 0 ? [pluginsOnly(local)] : [];
  if (artifact instanceof ApiError)
    return {
      name: `${group} plugins`,
      revision: revisionOf(plugins),
      headers: originHeaders({
        origins: local.sources.map((source) => source.name),
        unreachable: isUpstreamRefusal(artifact) ? sources.all.filter(isRemote).map((source) => source.name) : [],
      }),
      render: async () => rendered(ours),
    };
  if (group === undefined || !sources.all.some(isRemote))
    return {
      ...artifact,
      revision: `${artifact.revision}/${revisionOf(plugins)}`,
      render: async () => rendered([...ours, ...(await artifact.load())]),
    };
  // What the local sources hold of it is part of the revision, so it is read even if the client has the answer already.
  const theirs = await withoutHeld(call, sources, group, await artifact.load());
  return {
    ...artifact,
    revision: `${artifact.revision}/${revisionOf([plugins, theirs.map((each) => each.plugins)])}`,
    render: async () => rendered([...ours, ...theirs]),
  };
};

/** Finds the metadata of a path in the sources of an address. */
export const findMetadata = async (call: IndexCall, sources: Sources, path: MetadataPath): Promise<FoundMetadata> =>
  path.kind === 'snapshot-metadata' ? findSnapshot(call, sources, path) : findArtifactAndGroup(call, sources, path);
