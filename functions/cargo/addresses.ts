import type { WorkspaceId } from '../../shared/http/rights.ts';
import { addressedSources } from '../../shared/packages/sources/package-address.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { workspaceKey } from '../../shared/table/keys.ts';
import type { Repository } from '../../shared/table/repositories/repositories.ts';
import { cargo } from './type.ts';
import { order } from './versions.ts';

/** The parts of a request that the address of its registry needs. */
export interface AddressedCall {
  readonly baseUrl: string;
  readonly params: { readonly workspace: string; readonly repository: string };
}

const urlOf = (baseUrl: string, ...parts: readonly string[]): string =>
  [baseUrl, 'cargo', ...parts.map(encodeURIComponent)].join('/');

/** The URL of the registry in the address of a request, without a slash at its end. */
export const registryUrl = ({ baseUrl, params: { workspace, repository } }: AddressedCall): string =>
  urlOf(baseUrl, workspace, repository);

/** The sources of the repository in the path. */
export const crateSources = (call: { readonly repository: Repository; readonly loaded: IdentityMap }): Sources =>
  addressedSources(call, { ...cargo, order });

/** The parts of a request that say which registries are here. */
interface RegistriesCall extends Pick<AddressedCall, 'baseUrl'> {
  readonly repository: Repository;
  readonly workspace: WorkspaceId;
  readonly table: Table;
}

/**
 * Whether the registry of a dependency is the repository in the address of a request, or one that it combines. The registry
 * is compared with the base URL of the request, because a registry of another service may have the same path. It reads the name
 * of the workspace.
 */
export const registriesHere = async (
  { baseUrl, repository, workspace: { workspaceId }, table }: RegistriesCall,
  { all }: Sources,
): Promise<(registry: string) => boolean> => {
  const key = workspaceKey(workspaceId);
  const named = (await table.read([key])).find(key)?.name;
  const workspaces = [workspaceId, ...(named === undefined ? [] : [named])];
  const repositories = [repository, ...all].flatMap(({ repositoryId, name }) => [repositoryId, name]);
  const addresses = new Set(
    workspaces.flatMap((workspace) => repositories.map((each) => `sparse+${urlOf(baseUrl, workspace, each)}`)),
  );
  return (registry) => addresses.has(registry.replace(/\/$/, ''));
};
