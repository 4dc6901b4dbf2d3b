import { getNpmDocument, publishNpmPackage } from '../../functions/npm/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { Answer } from './client.ts';
import { publishBody } from './npm-packages.ts';
import { whenAvailable } from './retry.ts';
import type { Service } from './service.ts';
import { type Actor, type Named, uniqueName } from './world.ts';

/** A request below the address of an npm repository; what it leaves out is a plain request of a system admin. */
export interface NpmRequest {
  readonly method?: string;
  /** Another repository than that of the test. */
  readonly repository?: Named;
  /** The value of the Authorization header. */
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body that is no text is sent as JSON. */
  readonly body?: unknown;
}

const bodyOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

/** A workspace with an npm repository, and the requests that npm sends to it: paths go out as they are written. */
export const useNpmRepository = (service: Service) => {
  const setting = {} as { workspace: Named; repository: Named; admin: Actor };
  beforeAll(async () => {
    const [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
    Object.assign(setting, { workspace, admin, repository: await service.world.repository(workspace) });
  });
  const pathOf = (path: string, { name } = setting.repository): string =>
    `/npm/${setting.workspace.name}/${name}/${path}`;
  const send = async (contract: Contract, path: string, request: NpmRequest = {}): Promise<Answer> => {
    const { method = contract.method, repository, as = setting.admin.bearer, headers = {}, body } = request;
    const lines = { Authorization: as, ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers };
    return service.client.sendTo(contract, {
      method,
      path: pathOf(path, repository),
      headers: Object.entries(lines),
      ...(body !== undefined && { body: bodyOf(body) }),
    });
  };
  return {
    setting,
    send,
    /** The URL of a path, as the service prints it. */
    urlOf: (path: string, repository?: Named): string => service.runner.url + pathOf(path, repository),
    /** Publishes a version, of a new package unless it is named; returns the name. */
    publish: async (
      {
        name = uniqueName('package'),
        version = '1.0.0',
        ...manifest
      }: Readonly<Record<string, unknown>> & {
        readonly name?: string;
        readonly version?: string;
      } = {},
      repository?: Named,
    ): Promise<string> => {
      const body = publishBody(name, version, manifest);
      const { status, text } = await whenAvailable(() =>
        send(publishNpmPackage, name, { body, ...(repository && { repository }) }),
      );
      if (status !== 201) throw new Error(`${name} ${version} was not published: ${text}`);
      return name;
    },
    /** The document at a path. */
    document: async (path: string, request?: NpmRequest) => {
      const { status, text } = await whenAvailable(() => send(getNpmDocument, path, request));
      if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
      return JSON.parse(text) as Record<string, unknown> & {
        readonly versions: Readonly<Record<string, Record<string, unknown>>>;
        readonly 'dist-tags': Readonly<Record<string, string>>;
      };
    },
  };
};

/** What npm prints of a refusal. */
export const errorOf = ({ text }: Answer): unknown => (JSON.parse(text) as { readonly error?: unknown }).error;
