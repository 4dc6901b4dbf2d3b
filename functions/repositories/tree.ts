import type { Violation } from '../../shared/errors.ts';
import { combinedMax } from '../../shared/packages/sources/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import type { Repository, VirtualRepository } from '../../shared/table/repositories/repositories.ts';
import { readRepositories } from '../../shared/table/repositories/repository-lists.ts';

const isVirtual = (repository: Repository | undefined): repository is VirtualRepository =>
  repository?.repositoryType === 'virtual';

/** The virtual repositories among these children and below them, each once; not all of them if they are more than may be combined. */
export const virtualsBelow = async (
  table: Table,
  workspaceId: string,
  children: readonly (Repository | undefined)[],
): Promise<VirtualRepository[]> => {
  const found = new Map<string, VirtualRepository>();
  let level = children.filter(isVirtual);
  while (level.length > 0 && found.size <= combinedMax) {
    for (const virtual of level) found.set(virtual.repositoryId, virtual);
    const next = new Set(level.flatMap((virtual) => virtual.children.map((child) => child.id)));
    level = (
      await readRepositories(
        table,
        workspaceId,
        [...next].filter((id) => !found.has(id)),
      )
    ).filter(isVirtual);
  }
  return [...found.values()];
};

/** Why a virtual repository may not have these children: with all below them, they are too many. */
export const sizeViolations = (ids: readonly string[], below: readonly VirtualRepository[]): Violation[] => {
  const combined = new Set([...ids, ...below.flatMap(({ children }) => children.map(({ id }) => id))]);
  if (combined.size <= combinedMax) return [];
  const message = `childRepositoryIds leads to more than ${combinedMax} repositories, also through virtual ones: list fewer of them, or children with fewer of their own.`;
  return [{ pointer: '/childRepositoryIds', rule: 'maxCombined', message }];
};
