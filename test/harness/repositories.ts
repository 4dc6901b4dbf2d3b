import {
  createLocalRepository,
  createRemoteRepository,
  createVirtualRepository,
  type updateRepository,
} from '../../functions/repositories/contracts.ts';
import type { BodyOf } from '../../shared/http/contract.ts';
import type { PackageType } from '../../shared/package-types.ts';
import type { Fixture } from './fixture.ts';
import type { Service } from './service.ts';
import { type Named, uniqueName } from './world.ts';

/** A local npm repository, as the service answered its creation. */
export const createLocal = async (
  { client, world }: Pick<Service, 'client' | 'world'>,
  workspace: Named,
  name = uniqueName('local'),
) => {
  const { bearer } = await world.systemAdmin();
  const body = { name, packageType: 'npm' } as const;
  return client.succeed(createLocalRepository, { params: { workspace: workspace.id }, body, as: bearer });
};

/** What a creation takes. What it says of a gate, a patch can say, too. */
type Remote = Partial<Omit<BodyOf<typeof createRemoteRepository>, 'releaseGate'>> &
  Pick<BodyOf<typeof updateRepository>, 'releaseGate'>;

/** A remote repository with what the test wants of it. */
export const createRemote = async (
  { client, world }: Pick<Service, 'client' | 'world'>,
  workspace: Named,
  fields: Remote = {},
) => {
  const { bearer } = await world.systemAdmin();
  const defaults = {
    packageType: 'npm',
    isRemoteCacheEnabled: true,
    remoteRepositoryUrl: 'https://one.example/npm/',
  } as const;
  const body = { name: uniqueName('remote'), ...defaults, ...fields };
  return client.succeed(createRemoteRepository, { params: { workspace: workspace.id }, body, as: bearer });
};

type Virtual = Partial<BodyOf<typeof createVirtualRepository>>;

/** A virtual npm repository over these children. */
export const createVirtual = async (
  { client, world }: Pick<Service, 'client' | 'world'>,
  workspace: Named,
  children: readonly Pick<Named, 'id'>[],
  fields: Virtual = {},
) => {
  const { bearer } = await world.systemAdmin();
  const childRepositoryIds = children.map(({ id }) => id);
  const body = { name: uniqueName('virtual'), packageType: 'npm', childRepositoryIds, ...fields } as const;
  return client.succeed(createVirtualRepository, { params: { workspace: workspace.id }, body, as: bearer });
};

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
