import { getUniversalFile, publishUniversalFile } from '../../functions/universal/contracts.ts';
import type { Answer } from './client.ts';
import { whenAvailable } from './retry.ts';
import type { Service } from './service.ts';
import { type Actor, type Named, uniqueName } from './world.ts';

/** A workspace with a universal repository, and files in it. */
export interface PackageWorld {
  readonly workspace: Named;
  readonly admin: Actor;
  readonly repository: Named;
  /** The parameters of a path, for the repository unless another one is given. */
  readonly params: <P extends object>(others: P) => P & { readonly workspace: string; readonly repository: string };
  /** Publishes a file by the path of package, version and file, and expects that it succeeds unless `attempt` is used. */
  readonly publish: (path: string, content?: string, repository?: Named) => Promise<Answer>;
  readonly attempt: (path: string, content?: string, repository?: Named) => Promise<Answer>;
  /** The status that a download answers. */
  readonly statusOf: (path: string, repository?: Named) => Promise<number>;
}

/** Makes that world before the tests of a file. */
export const usePackageWorld = (service: Service): PackageWorld => {
  // Empty until the service has started.
  const world: Partial<PackageWorld> = {};
  beforeAll(async () => {
    const workspace = await service.world.workspace();
    const admin = await service.world.systemAdmin();
    const repository = await service.world.repository(workspace, uniqueName('files'), 'universal');
    const attempt: PackageWorld['attempt'] = (path, content = uniqueName(), target = repository) =>
      service.client.attempt(publishUniversalFile, {
        params: { workspace: workspace.id, repository: target.id, path },
        bytes: { content, mediaType: 'application/octet-stream' },
        as: admin.bearer,
      });
    Object.assign(world, {
      workspace,
      admin,
      repository,
      params: <P extends object>(others: P) => ({ workspace: workspace.id, repository: repository.id, ...others }),
      attempt,
      publish: async (...file: Parameters<typeof attempt>) => {
        const answer = await whenAvailable(() => attempt(...file));
        if (answer.status !== 201) throw new Error(`${file[0]} was not published: ${answer.text}`);
        return answer;
      },
      statusOf: async (path: string, target = repository) => {
        const params = { workspace: workspace.id, repository: target.id, path };
        return (await service.client.attempt(getUniversalFile, { params, as: admin.bearer })).status;
      },
    } satisfies PackageWorld);
  });
  return world as PackageWorld;
};
