import type { PackageType } from '../../shared/package-types.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import type { Service } from '../harness/service.ts';
import type { Actor, Named } from '../harness/world.ts';
import type { Driver } from './drivers/driver.ts';
import { Sandbox } from './drivers/sandbox.ts';

/** Makes places where a client has not run before. Each is removed after the test that made it. */
export const useSandboxes = (): (() => Sandbox) => {
  const sandboxes: Sandbox[] = [];
  afterEach(() => {
    for (const made of sandboxes.splice(0)) made.remove();
  });
  return () => {
    const made = new Sandbox();
    sandboxes.push(made);
    return made;
  };
};

/** A workspace with somebody who may publish to its repositories, and somebody who may only read them. */
export interface ClientTeam {
  readonly workspace: Named;
  readonly deployer: Actor;
  readonly viewer: Actor;
}

/** Makes that workspace before the tests of a file. `granted` gives both their level on a repository. */
export const useTeam = (service: Service, level: 'canDeploy' | 'canManage' = 'canDeploy') => {
  const team: Partial<ClientTeam> = {};
  const setting = team as ClientTeam;
  beforeAll(async () => {
    const workspace = await service.world.workspace();
    const members = { deployer: await service.world.member(workspace), viewer: await service.world.member(workspace) };
    Object.assign(team, { workspace, ...members });
  });
  const granted = async (repository: Named): Promise<Named> => {
    const { workspace, deployer, viewer } = setting;
    await service.world.grant(workspace, repository, deployer, level);
    await service.world.grant(workspace, repository, viewer, 'canView');
    return repository;
  };
  return { team: setting, granted };
};

/** The address for clients that send a credential only when they are asked for one: a function URL asks nobody. */
export const askingUrl = ({ edge, runner }: Service): string => edge?.url ?? runner.url;

/** The address for the clients of a driver. */
export const urlFor = (service: Service, { sendsWhenAsked }: Driver): string =>
  sendsWhenAsked ? askingUrl(service) : service.url;

/** What a client works with: a local and a remote repository at one address, and somebody who may deploy to it. */
export interface ClientWorld {
  readonly workspace: Named;
  readonly deployer: Actor;
  readonly local: Named;
  readonly virtual: Named;
}

/** Builds that world; the fields are those of the remote repository. */
export const clientWorld = async (
  service: Service,
  fields: { readonly packageType: PackageType; readonly remoteRepositoryUrl: string } & NonNullable<
    Parameters<typeof createRemote>[2]
  >,
): Promise<ClientWorld> => {
  const { world } = service;
  const { packageType } = fields;
  const workspace = await world.workspace();
  const deployer = await world.member(workspace);
  const local = await world.repository(workspace, undefined, packageType);
  const remote = await createRemote(service, workspace, fields);
  const virtual = await createVirtual(service, workspace, [local, remote], {
    packageType,
    uploadLocalRepositoryId: local.id,
  });
  await world.grant(workspace, virtual, deployer, 'canDeploy');
  return { workspace, deployer, local, virtual };
};
