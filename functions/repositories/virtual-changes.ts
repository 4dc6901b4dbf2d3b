import { invalid, requireValid, type Violation } from '../../shared/errors.ts';
import type { BodyOf } from '../../shared/http/contract.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { canMatch, upstreamEntry } from '../../shared/packages/sources/name-rules.ts';
import type { Table } from '../../shared/table/client.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { locate, repositoriesOf } from '../../shared/table/locate.ts';
import type { Repository, VirtualRepository } from '../../shared/table/repositories/repositories.ts';
import { updateVirtualRepository } from '../../shared/table/repositories/repository-changes.ts';
import { definitionOf } from '../package-definitions.ts';
import { childViolations, listingRule } from './children.ts';
import type { updateRepository } from './contracts.ts';
import { virtualRepositoryRecord } from './record.ts';
import { sizeViolations, virtualsBelow } from './tree.ts';

const cycle: Violation = {
  pointer: '/childRepositoryIds',
  rule: 'acyclic',
  message: 'childRepositoryIds must not lead back to this repository, directly or through other virtual repositories.',
};

const tooMuch: Violation = {
  pointer: '/childRepositoryIds',
  rule: 'maxChanges',
  message: 'childRepositoryIds changes too much at once for one transaction: change the list in two steps.',
};

/** The repositories that these references lead to, in the order of the references. */
const childrenOf = async (
  table: Table,
  workspaceId: string,
  references: readonly string[],
): Promise<readonly (Repository | undefined)[]> => {
  const locations = (loaded: IdentityMap) =>
    references.map((reference) => locate(repositoriesOf(workspaceId), reference, loaded));
  const loaded = await table.readWanted((soFar) => locations(soFar).flatMap(({ next }) => next));
  return locations(loaded).map(({ item }) => item);
};

type Rules = NonNullable<VirtualRepository['upstreamNames']>;

/** Why an entry is refused; undefined if it is not. In lower case, an entry of `allow` would open another package than it names. */
const reasonAgainst = (packageType: PackageType, list: keyof Rules, sent: string): string | undefined => {
  const { spelling } = definitionOf(packageType);
  const entry = upstreamEntry(spelling, sent);
  if (!canMatch(spelling, entry))
    return `no package of the type ${packageType} can have such a name: correct the entry, or leave it out`;
  if (list === 'allow' && spelling.holdsLowerCase && entry !== sent)
    return 'a local repository holds no name with capital letters, so an upstream is asked for this one without an entry: leave it out, or write it in lower case if you mean the package of that name';
  return undefined;
};

type NamesPatch = BodyOf<typeof updateRepository>['upstreamNames'];

/** The entries of a list that no package can be named. */
const nameViolations = (packageType: PackageType, patch: NamesPatch, list: keyof Rules): Violation[] =>
  (patch?.[list] ?? []).flatMap((sent, at) => {
    const reason = reasonAgainst(packageType, list, sent);
    if (reason === undefined) return [];
    const message = `upstreamNames.${list}[${at}] is '${sent}', and ${reason}.`;
    return [{ pointer: `/upstreamNames/${list}/${at}`, rule: 'packageName', message }];
  });

/** The entries of a list as the package type spells them, each once. */
const normalList = (packageType: PackageType, entries: readonly string[]): readonly string[] => {
  const { spelling } = definitionOf(packageType);
  const normal = entries.map((entry) => upstreamEntry(spelling, entry));
  return [...new Set(normal)];
};

/** The rules for names after a patch: null ends all of them, and an absent list stays as it is. */
const patchedRules = (
  { packageType, upstreamNames: before }: VirtualRepository,
  patch: NamesPatch,
): Rules | undefined => {
  if (patch === undefined) return before;
  const { allow, block } = patch ?? { allow: [], block: [] };
  return {
    allow: allow ? normalList(packageType, allow) : (before?.allow ?? []),
    block: block ? normalList(packageType, block) : (before?.block ?? []),
  };
};

/** Applies a patch to a virtual repository. It refuses children that would lead back to the repository itself. */
export const changeVirtual = async (
  table: Table,
  repository: VirtualRepository,
  patch: BodyOf<typeof updateRepository>,
) => {
  const { workspaceId, repositoryId, packageType } = repository;
  const ids = patch.childRepositoryIds?.map((id) => id.toLowerCase()) ?? repository.children.map((child) => child.id);
  const upload = patch.uploadLocalRepositoryId;
  const uploadId = upload === undefined ? repository.uploadLocalRepositoryId : (upload?.toLowerCase() ?? null);
  const children = await childrenOf(table, workspaceId, ids);
  const below = await virtualsBelow(table, workspaceId, children);
  const violations = [
    ...listingRule({ childRepositoryIds: ids, uploadLocalRepositoryId: uploadId }),
    ...childViolations(ids, children, packageType, uploadId),
    ...(below.some((virtual) => virtual.repositoryId === repositoryId) ? [cycle] : sizeViolations(ids, below)),
    ...nameViolations(packageType, patch.upstreamNames, 'allow'),
    ...nameViolations(packageType, patch.upstreamNames, 'block'),
  ];
  requireValid(violations);

  const named = children.map((child, index) => ({ id: ids[index] ?? '', name: child?.name ?? '' }));
  const upstreamNames = patchedRules(repository, patch.upstreamNames);
  const changes = { children: named, uploadLocalRepositoryId: uploadId, ...(upstreamNames && { upstreamNames }) };
  const outcome = await updateVirtualRepository(table, repository, changes, below);
  if (outcome === 'too much at once') throw invalid([tooMuch]);
  return outcome === 'lost the race' ? outcome : virtualRepositoryRecord(outcome);
};
