import type { Caller } from '../../http/caller.ts';
import { bestEffort } from '../../observability/best-effort.ts';
import type { Table } from '../../table/client.ts';
import type { Workspace } from '../../table/identity/workspaces.ts';
import type { IdentityMap } from '../../table/identity-map.ts';
import type { LocalRepository } from '../../table/repositories/repositories.ts';
import { compactIndex, needsCompaction } from '../index/compaction.ts';
import type { IndexListing } from '../index/index-listing.ts';
import type { PackagePublication } from './publication.ts';
import { type Published, storePublication } from './publication-store.ts';
import { publisherOf } from './publisher.ts';
import type { VersionContent, VersionTraits } from './version-content.ts';

/** The parts of a request that publishing needs: who publishes, and whose quota counts it. */
export interface PublishCall {
  readonly table: Table;
  readonly caller: Pick<Caller, 'actor'>;
  readonly workspace: Workspace;
}

/**
 * What a request publishes: a version, as its type understands it, and what concerns this request. With `isReplacing`, the request says
 * whether files are replaced, and not the traits of the type.
 */
export type Publishing = VersionContent &
  Omit<PackagePublication, 'repository' | 'quota' | 'origin' | 'indexes' | 'hasOneSpelling'>;

/** What the traits of a type make of a publication. */
const traitsOf = ({ firstSpellingWins, files, replaces }: VersionTraits, content: VersionContent) => ({
  hasOneSpelling: firstSpellingWins,
  isOpen: files === 'one by one',
  isReplacing: replaces(content),
});

/** The indexes that list a version: that of its type, if it has an entry, and others. */
const listingsOf = (
  { indexOf }: VersionTraits,
  { parts, addedParts, alsoListed = [] }: VersionContent,
): readonly IndexListing[] => [
  ...(parts ? [{ index: indexOf, parts, ...(addedParts && { addedParts }) }] : []),
  ...alsoListed,
];

/**
 * Publishes files of a version as `storePublication` does, and then writes a new snapshot of each index that needs one. What only fetches
 * files changes no index.
 */
export const publish = async (
  table: Table,
  publication: PackagePublication,
  read?: IdentityMap,
): Promise<Published> => {
  const { changed, ...published } = await storePublication(table, publication, read);
  // The next change of an index repeats a compaction that failed.
  for (const { ref, head } of changed)
    if (needsCompaction(head)) await bestEffort(compactIndex(table, publication.repository.workspaceId, ref));
  return published;
};

/** Publishes what the caller of a request sent, to the repository that takes it. Throws as `storePublication`. */
export const publishTo = async (
  { table, caller, workspace }: PublishCall,
  { versions }: { readonly versions: VersionTraits },
  target: LocalRepository,
  content: Publishing,
): Promise<void> => {
  const origin = { kind: 'published', by: publisherOf(caller) } as const;
  const { parts: _, addedParts: __, alsoListed: ___, ...others } = content;
  const traits = { ...traitsOf(versions, content), indexes: listingsOf(versions, content) };
  await publish(table, { repository: target, quota: workspace, origin, ...traits, ...others });
};
