import type { ApiError } from '../../shared/errors.ts';
import {
  type CacheState,
  type FetchRequest,
  isPending,
  isUpstreamRefusal,
} from '../../shared/packages/asking-upstream.ts';
import { indexOf, type PendingChange } from '../../shared/packages/package-index.ts';
import { loadDocument } from '../../shared/packages/remote-documents.ts';
import type { Source } from '../../shared/packages/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { type PackageHead, tagsOf } from '../../shared/table/packages.ts';
import { contentIdOf, type LocalRepository, type RemoteRepository } from '../../shared/table/repositories.ts';
import type { ManifestForm } from './index-entries.ts';
import { parseObject } from './json.ts';
import type { PackageIndex } from './packument.ts';
import { upstreamPackument } from './upstream-documents.ts';

/** A package in one source, read only as far as needed to know whether it changed. */
export interface KnownPackage {
  readonly source: Source;
  readonly revision: string;
  /** Set for a remote repository. */
  readonly cache?: CacheState;
  readonly tags: () => Promise<Readonly<Record<string, string>>>;
  readonly load: () => Promise<PackageIndex>;
}

/** A remote repository whose upstream failed, or takes longer than the request, and whose cache has no copy to serve. */
export interface Unreachable {
  readonly source: Source;
  readonly refusal: ApiError;
}

/** The head of a package in a local repository, and the changes of its index. */
export interface FoundIndex {
  readonly head: PackageHead;
  readonly changes: readonly PendingChange[];
}

/** A package of a local repository; undefined if all of its versions were deleted. */
export const localPackage = (table: Table, source: LocalRepository, found: FoundIndex): KnownPackage | undefined => {
  const { head } = found;
  if (head.versionCount === 0) return undefined;
  const { document, createdAt, updatedAt, revision } = head;
  const tags = tagsOf(head);
  return {
    source,
    revision: `${contentIdOf(source)}:${revision}`,
    tags: async () => tags,
    load: async () => {
      const { entries } = await indexOf(table, found);
      const shown = document === undefined ? undefined : parseObject(document, 'The document');
      return {
        entries: entries.values(),
        tags,
        ...(shown && { head: shown }),
        created: createdAt,
        modified: updatedAt,
      };
    },
  };
};

/** A package and the form that a client wants of it. */
export interface WantedPackage {
  readonly name: string;
  readonly form: ManifestForm;
}

/** A package of a remote repository; undefined if its upstream has no such package. */
export const remotePackage = async (
  request: FetchRequest,
  source: RemoteRepository,
  { name, form }: WantedPackage,
  loaded: IdentityMap,
): Promise<KnownPackage | Unreachable | undefined> => {
  try {
    const found = await loadDocument(request, source, upstreamPackument(source, name, form), loaded);
    if (!found) return undefined;
    const { revision, cache, read } = found;
    return {
      source,
      revision: `${contentIdOf(source)}:${revision}`,
      cache,
      tags: async () => (await read()).tags,
      load: read,
    };
  } catch (refusal) {
    if (isUpstreamRefusal(refusal) || isPending(refusal)) return { source, refusal };
    throw refusal;
  }
};
