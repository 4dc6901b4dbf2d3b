import { deletePackageVersion } from '../../functions/packages/contracts.ts';
import type { Fixture } from '../harness/fixture.ts';

/**
 * Deletes a version that was published. Archives contain the name of their package, so their bytes are always new; publishing
 * a deleted version again stores none.
 */
export const deleteVersion = async (
  { client, workspace, systemAdmin }: Fixture,
  repository: string,
  { name, version }: { readonly name: string; readonly version: string },
): Promise<void> => {
  const params = { workspace: workspace.id, repository, package: name, version };
  await client.succeed(deletePackageVersion, { params, as: systemAdmin.bearer });
};

/** What holds for all endpoints of a package type: no release has stored packages, and no example of the document makes one. */
export const ofPackages = {
  released: 'about what no release has stored',
  examples: [],
} as const;
