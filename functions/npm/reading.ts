import { createHash } from 'node:crypto';
import { ApiError } from '../../shared/errors.ts';
import { fetchRequest, isPending } from '../../shared/packages/asking-upstream.ts';
import { originHeaders } from '../../shared/packages/origin-headers.ts';
import { readChanges } from '../../shared/packages/package-index.ts';
import { documentKeys } from '../../shared/packages/remote-documents.ts';
import { isLocal, isRemote, sourcesByRules } from '../../shared/packages/resolution.ts';
import type { Source, Sources } from '../../shared/packages/sources.ts';
import { canWait, type WaitingRequest } from '../../shared/packages/waiting.ts';
import type { Table } from '../../shared/table/client.ts';
import { IdentityMap } from '../../shared/table/identity-map.ts';
import { contentIdOf } from '../../shared/table/repositories.ts';
import {
  type FoundIndex,
  type KnownPackage,
  localPackage,
  remotePackage,
  type Unreachable,
  type WantedPackage,
} from './known-packages.ts';
import { mergeEntries, type PackageIndex } from './packument.ts';
import { tarballPath } from './paths.ts';
import { upstreamPackument } from './upstream-documents.ts';

/** The parts of a request that reading a package needs. */
export interface ReadCall {
  readonly table: Table;
  readonly params: { readonly workspace: string; readonly repository: string };
  readonly baseUrl: string;
  readonly isHead: boolean;
  readonly header: (name: string) => string | undefined;
  /** Absent if the client cannot be redirected to wait. */
  readonly query?: WaitingRequest['query'];
}

/** A package in the repository of the address. */
export interface NpmPackage {
  readonly name: string;
  /** It changes whenever the answer changes. */
  readonly revision: string;
  /** The headers that say where the answer comes from. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: () => Promise<Readonly<Record<string, string>>>;
  readonly load: () => Promise<PackageIndex>;
}

/**
 * Finds a package in the sources of an address. It queries all local sources in parallel, and then all remote sources that
 * may answer. If an upstream fails and another source has the package, the answer leaves that upstream out. Throws
 * FILE_PENDING while an upstream takes longer than the request and the client can wait.
 */
export const findPackage = async (
  { table, query }: ReadCall,
  sources: Sources,
  wanted: WantedPackage,
): Promise<NpmPackage> => {
  const request = fetchRequest({ table, query });
  const { name, form } = wanted;
  const remotes = sources.all.filter(isRemote);
  const keys = remotes.flatMap((source) => documentKeys(source, upstreamPackument(source, name, form)));
  const [held, loaded] = await Promise.all([
    heldLocally(table, sources, name),
    keys.length > 0 ? table.read(keys) : new IdentityMap(),
  ]);
  const answers = await Promise.all(
    sourcesByRules(sources, name, (source) => held.has(source)).map(async (source) => {
      if (isRemote(source)) return remotePackage(request, source, wanted, loaded);
      const found = held.get(source);
      return found && localPackage(table, source, found);
    }),
  );
  const known = answers.filter((answer) => answer !== undefined && 'load' in answer);
  const unreachable = answers.filter((answer) => answer !== undefined && 'refusal' in answer);
  const pending = unreachable.find(({ refusal }) => isPending(refusal));
  if (pending && query && canWait(query)) throw pending.refusal;
  if (known.length > 0) return combined(name, known, unreachable);
  throw (
    unreachable[0]?.refusal ?? new ApiError('PACKAGE_NOT_FOUND', `There is no package '${name}' in this repository.`)
  );
};

/** The package in each local source that has it, or ever had it. */
const heldLocally = async (table: Table, { all }: Sources, name: string): Promise<ReadonlyMap<Source, FoundIndex>> => {
  const read = async (source: Source) =>
    [source, await readChanges(table, { contentId: contentIdOf(source), name })] as const;
  const found = await Promise.all(all.filter(isLocal).map(read));
  return new Map(found.flatMap(([source, index]) => (index ? [[source, index] as const] : [])));
};

const combined = (name: string, known: readonly KnownPackage[], unreachable: readonly Unreachable[]): NpmPackage => ({
  name,
  revision: createHash('sha256')
    .update(known.map(({ revision }) => revision).join())
    .digest('base64url'),
  headers: originHeaders({
    origins: known.map(({ source }) => source.name),
    caches: known.flatMap(({ cache }) => cache ?? []),
    unreachable: unreachable.map(({ source }) => source.name),
  }),
  tags: async () => {
    const tags = await Promise.all(known.map(async (each) => each.tags()));
    return Object.assign({}, ...tags.toReversed()) as Record<string, string>;
  },
  load: async () => mergeEntries(await Promise.all(known.map(async (each) => each.load()))),
});

/** The address of the tarball of a version. It begins with the base URL of the request, because there may be several. */
export const addressOf =
  ({ baseUrl, params: { workspace, repository } }: ReadCall, name: string) =>
  (version: string): string =>
    `${baseUrl}/npm/${encodeURIComponent(workspace)}/${encodeURIComponent(repository)}/${tarballPath(name, version)}`;
