import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { deleteVersions } from '../../shared/packages/changes/deletion.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { alsoReadSources, requireType } from '../../shared/packages/sources/package-address.ts';
import { deletionTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { deleteConanContent } from './contracts.ts';
import { type ConanPath, parsePath } from './paths.ts';
import { versionOf } from './references.ts';
import { conan } from './type.ts';

/** Whether a path that is to be deleted is about a version. Throws PACKAGE_INVALID if it is about nothing that can be deleted. */
const isMeant = ({ reference, wanted }: ConanPath): ((version: string) => boolean) => {
  const version = versionOf(reference);
  if (wanted === 'packages') return (each) => each.startsWith(`${version}:`);
  if (wanted !== 'all')
    throw new ApiError(
      'PACKAGE_INVALID',
      'Recipes, revisions and binaries are deleted, and not what a client asks about them: end the path with a recipe, a revision, or with packages.',
    );
  if (reference.recipeRevision === undefined) return (each) => each.startsWith(`${version}#`);
  return (each) => each === version || (reference.packageId === undefined && each.startsWith(`${version}:`));
};

export const handler = endpoint(
  deleteConanContent,
  async ({ params, repository, loaded, table }) => {
    requireType(repository, conan);
    const path = parsePath(params.path);
    const isDeleted = isMeant(path);
    const { name } = path.reference;
    const target = deletionTargetOf(repository, loaded);
    await changeInTarget({ repository, loaded, table }, { target, name }, async () =>
      deleteVersions(table, target, name, isDeleted),
    );
    return { package: name, status: 'deleted' as const };
  },
  { alsoRead: alsoReadSources },
);
