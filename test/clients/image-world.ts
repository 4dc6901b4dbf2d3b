import { createRemote, createVirtual } from '../harness/repositories.ts';
import type { Service } from '../harness/service.ts';
import type { Named } from '../harness/world.ts';
import { useTeam } from './client-world.ts';
import { useWatchedAddress } from './watched-address.ts';

/** Repositories of images for clients. A remote repository has another one as its upstream, whose requests are counted. */
export const useImageWorld = (service: Service) => {
  const upstream = useWatchedAddress(service, true);
  const { team, granted } = useTeam(service, 'canManage');
  const packageType = 'docker';

  const local = async (): Promise<Named> =>
    granted(await service.world.repository(team.workspace, undefined, packageType));

  const remoteOver = async (source: Named): Promise<Named> =>
    granted(
      await createRemote(service, team.workspace, {
        packageType,
        remoteRepositoryUrl: `http://${upstream.host}/${team.workspace.name}/${source.name}`,
        remoteRepositoryUsername: 'token',
        remoteRepositoryPassword: team.deployer.token,
        fileCacheTimeTillRevalidation: null,
        metadataCacheTimeTillRevalidation: null,
      }),
    );

  /** A virtual repository over a local one, to which it pushes, and a remote one. */
  const virtualOver = async (source: Named): Promise<Named> => {
    const ours = await local();
    const fields = { packageType, uploadLocalRepositoryId: ours.id } as const;
    return granted(await createVirtual(service, team.workspace, [ours, await remoteOver(source)], fields));
  };

  return { team, upstream, local, remoteOver, virtualOver };
};
