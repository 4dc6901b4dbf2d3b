import { getPypiDocument, publishPypiFile } from '../../functions/pypi/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { Answer } from './client.ts';
import { type PythonPackage, uploadForm, wheelName, wheelOf } from './python-packages.ts';
import { createRemote, createVirtual } from './repositories.ts';
import type { Service } from './service.ts';
import type { Actor, Named } from './world.ts';

/** The media type of a page in JSON. */
export const jsonPage = 'application/vnd.pypi.simple.v1+json';

/** A page in JSON, as far as the tests read it. */
export interface Page {
  readonly meta: { readonly 'api-version': string };
  readonly name: string;
  readonly versions?: readonly string[];
  readonly files: readonly Readonly<Record<string, unknown>>[];
}

interface Asked {
  /** Another repository than that of the test. */
  readonly repository?: Named;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

/** A workspace with a repository of Python packages, and the requests that pip and twine send to it. */
export const usePythonRepository = (service: Service) => {
  const setting = {} as { workspace: Named; repository: Named; admin: Actor };
  beforeAll(async () => {
    const [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
    Object.assign(setting, {
      workspace,
      admin,
      repository: await service.world.repository(workspace, undefined, 'pypi'),
    });
  });
  const basePath = (repository = setting.repository): string => `/pypi/${setting.workspace.name}/${repository.name}`;
  const send = async (
    contract: Contract,
    path: string,
    { as = setting.admin.bearer, headers = {}, method = contract.method }: Asked,
    body?: Uint8Array,
  ): Promise<Answer> =>
    service.client.sendTo(contract, {
      method,
      path,
      headers: Object.entries({ Authorization: as, ...headers }),
      ...(body && { body }),
    });
  const get = async (path: string, asked: Asked = {}): Promise<Answer> =>
    send(getPypiDocument, `${basePath(asked.repository)}/${path}`, asked);
  const upload = async (
    { content, mediaType }: ReturnType<typeof uploadForm>,
    { slash = '', ...asked }: Asked & { readonly slash?: '' | '/' } = {},
  ): Promise<Answer> => {
    const headers = { 'Content-Type': mediaType, ...asked.headers };
    return send(publishPypiFile, basePath(asked.repository) + slash, { ...asked, headers }, content);
  };
  return {
    setting,
    get,
    upload,
    /** The page of a project in JSON. */
    page: async (name: string, repository?: Named): Promise<Page> => {
      const { status, text } = await get(`simple/${name}/`, {
        headers: { Accept: jsonPage },
        ...(repository && { repository }),
      });
      if (status !== 200) throw new Error(`${name} has no page: ${text}`);
      return JSON.parse(text) as Page;
    },
    /** Publishes a wheel, and returns it. */
    publish: async (each: PythonPackage, asked: Asked = {}): Promise<Buffer> => {
      const wheel = wheelOf(each);
      const { status, text } = await upload(uploadForm(wheelName(each), wheel, each), asked);
      if (status !== 200) throw new Error(`${each.name} was not published: ${text}`);
      return wheel;
    },
    remote: async (fields: Parameters<typeof createRemote>[2]): Promise<Named> =>
      createRemote(service, setting.workspace, { packageType: 'pypi', ...fields }),
    virtual: async (children: readonly Named[], fields: Parameters<typeof createVirtual>[3] = {}): Promise<Named> =>
      createVirtual(service, setting.workspace, children, { packageType: 'pypi', ...fields }),
  };
};
