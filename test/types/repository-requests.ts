import type { Contract } from '../../shared/http/contract.ts';
import type { PackageType } from '../../shared/package-types.ts';
import type { Answer } from '../harness/client.ts';
import type { Service } from '../harness/service.ts';
import type { Actor, Named } from '../harness/world.ts';

/** A request below the address of a repository; what it leaves out is a plain request of a system admin. */
export interface RepositoryRequest {
  readonly repository?: Named;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: Uint8Array;
}

/** The endpoints of a package type whose packages have addresses below that of their repository. */
interface Endpoints {
  readonly publish: Contract;
  readonly read: Contract;
  readonly remove: Contract;
}

/** A workspace with a local repository of a package type, and the requests that are sent to it. */
export const useRepositoryOf = (service: Service, packageType: PackageType, { publish, read, remove }: Endpoints) => {
  const setting = {} as { workspace: Named; repository: Named; admin: Actor };
  beforeAll(async () => {
    const [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
    const repository = await service.world.repository(workspace, undefined, packageType);
    Object.assign(setting, { workspace, admin, repository });
  });
  const pathOf = (path: string, { name }: Named): string => `/${packageType}/${setting.workspace.name}/${name}/${path}`;
  const send = async (contract: Contract, path: string, request: RepositoryRequest = {}): Promise<Answer> => {
    const { method = contract.method, repository = setting.repository, headers = {}, body } = request;
    return service.client.sendTo(contract, {
      method,
      path: pathOf(path, repository),
      headers: Object.entries({ Authorization: request.as ?? setting.admin.bearer, ...headers }),
      ...(body && { body }),
    });
  };
  return {
    setting,
    send,
    put: async (path: string, body: Uint8Array, request?: RepositoryRequest): Promise<Answer> =>
      send(publish, path, {
        ...request,
        headers: { 'Content-Type': 'application/octet-stream', ...request?.headers },
        body,
      }),
    get: async (path: string, request?: RepositoryRequest): Promise<Answer> => send(read, path, request),
    /** The bytes of a path, which the other ways read as text. */
    bytesOf: async (path: string, repository = setting.repository): Promise<Buffer> => {
      const url = service.runner.url + pathOf(path, repository);
      const answer = await fetch(url, { headers: { Authorization: setting.admin.bearer } });
      if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`);
      return Buffer.from(await answer.arrayBuffer());
    },
    remove: async (path: string, request?: RepositoryRequest): Promise<Answer> => send(remove, path, request),
  };
};
