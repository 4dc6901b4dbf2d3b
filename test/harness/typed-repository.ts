import type { PackageType } from '../../shared/package-types.ts';
import type { Fixture } from './fixture.ts';
import type { Named } from './world.ts';

const known = new WeakMap<Named, Map<PackageType, Promise<Named>>>();

const create = async (fixture: Fixture, packageType: PackageType): Promise<Named> => {
  const { world, workspace, viewer, deployer, manager } = fixture;
  const repository = await world.repository(workspace, undefined, packageType);
  await world.grant(workspace, repository, viewer, 'canView');
  await world.grant(workspace, repository, deployer, 'canDeploy');
  await world.grant(workspace, repository, manager, 'canManage');
  return repository;
};

/** The local repository of a package type in the workspace of a fixture. It is created when it is needed first. */
export const typedRepository = async (fixture: Fixture, packageType: PackageType): Promise<Named> => {
  const ofWorkspace = known.get(fixture.workspace) ?? new Map<PackageType, Promise<Named>>();
  known.set(fixture.workspace, ofWorkspace);
  const repository = ofWorkspace.get(packageType) ?? create(fixture, packageType);
  ofWorkspace.set(packageType, repository);
  return repository;
};
