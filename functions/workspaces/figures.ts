import { repositoryCountKeys, repositoryCountOf } from '../../shared/table/identity/repository-count.ts';
import type { Workspace } from '../../shared/table/identity/workspaces.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { type Key, workspaceKey } from '../../shared/table/keys.ts';
import { type Usage, usageKeys, usageOf } from '../../shared/table/packages/usage.ts';

/** What a workspace counts apart from its own item. */
export interface Figures {
  readonly repositoryCount: number;
  readonly usage: Usage;
}

/** The shards of all figures, to be read with what decides access. */
export const alsoReadFigures = ({
  workspaceId,
  loaded,
}: {
  readonly workspaceId: string;
  readonly loaded: IdentityMap;
}): readonly Key[] => [
  ...repositoryCountKeys(workspaceId, loaded.find(workspaceKey(workspaceId))?.countShares),
  ...usageKeys(workspaceId),
];

/** The figures, once their shards were read. */
export const figuresOf = ({ workspaceId, countShares }: Workspace, loaded: IdentityMap): Figures => ({
  repositoryCount: repositoryCountOf(workspaceId, countShares, loaded),
  usage: usageOf(workspaceId, loaded),
});
