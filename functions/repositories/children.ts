import type { Violation } from '../../shared/errors.ts';
import type { PackageType } from '../../shared/package-types.ts';
import type { Repository } from '../../shared/table/repositories/repositories.ts';

/** What a request wants a virtual repository to combine. */
interface Listed {
  readonly childRepositoryIds?: readonly string[] | undefined;
  readonly uploadLocalRepositoryId?: string | null | undefined;
}

const childPointer = (index: number): string => `/childRepositoryIds/${index}`;

/** The rules that need no data of the table: no child twice, and the upload target is one of the children. */
export const listingRule = ({ childRepositoryIds, uploadLocalRepositoryId: upload }: Listed): Violation[] => {
  const ids = childRepositoryIds?.map((id) => id.toLowerCase());
  if (!ids) return [];
  const repeated = ids.flatMap((id, index) => {
    const first = ids.indexOf(id);
    if (first === index) return [];
    const message = `childRepositoryIds[${index}] and childRepositoryIds[${first}] are the same repository; list it once.`;
    return [{ pointer: childPointer(index), rule: 'distinct', message }];
  });
  if (typeof upload !== 'string' || ids.includes(upload.toLowerCase())) return repeated;
  const message = `uploadLocalRepositoryId must be one of childRepositoryIds: add it there, or choose one that is listed.`;
  return [...repeated, { pointer: '/uploadLocalRepositoryId', rule: 'listed', message }];
};

/** The rules about the stored children. `children` also holds a repository that was named instead of given by its ID. */
export const childViolations = (
  ids: readonly string[],
  children: readonly (Repository | undefined)[],
  packageType: PackageType,
  uploadId: string | null,
): Violation[] =>
  ids.flatMap((id, index): Violation[] => {
    const child = children[index];
    const pointer = childPointer(index);
    if (!child) {
      const message = `childRepositoryIds[${index}] '${id}' is not a repository of this workspace.`;
      return [{ pointer, rule: 'exists', message }];
    }
    if (child.repositoryId !== id) {
      const message = `childRepositoryIds[${index}] '${id}' is a name: give the ID of that repository, ${child.repositoryId}.`;
      return [{ pointer, rule: 'id', message }];
    }
    const violations: Violation[] = [];
    if (child.packageType !== packageType) {
      const message = `childRepositoryIds[${index}] '${child.name}' holds ${child.packageType} packages; a virtual ${packageType} repository combines ${packageType} repositories only.`;
      violations.push({ pointer, rule: 'packageType', message });
    }
    if (id === uploadId && child.repositoryType !== 'local') {
      const message = `uploadLocalRepositoryId '${child.name}' is a ${child.repositoryType} repository; only a local one can receive uploads.`;
      violations.push({ pointer: '/uploadLocalRepositoryId', rule: 'local', message });
    }
    return violations;
  });
