import { getHelmDocument, publishChart } from '../../functions/helm/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { Answer } from './client.ts';
import { chartForm, chartOf, type TestChart } from './helm-charts.ts';
import { whenAvailable } from './retry.ts';
import type { Service } from './service.ts';
import { type Actor, type Named, uniqueName } from './world.ts';

/** A request below the address of a helm repository; what it leaves out is a plain request of a system admin. */
export interface HelmRequest {
  readonly method?: string;
  readonly repository?: Named;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The versions in an index, by chart. */
export type Charts = Readonly<
  Record<string, readonly (Readonly<Record<string, unknown>> & { readonly version: string })[]>
>;

/** An index as a client reads it. */
export interface HelmIndex {
  readonly apiVersion: string;
  readonly generated: string;
  readonly serverInfo: { readonly contextPath: string };
  readonly entries: Charts;
}

/** A workspace with a helm repository, and the requests that clients send to it: paths go out as they are written. */
export const useHelmRepository = (service: Service) => {
  const setting = {} as { workspace: Named; repository: Named; admin: Actor };
  beforeAll(async () => {
    const [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
    const repository = await service.world.repository(workspace, undefined, 'helm');
    Object.assign(setting, { workspace, admin, repository });
  });
  const pathOf = (path: string, { name } = setting.repository): string =>
    `/helm/${setting.workspace.name}/${name}/${path}`;
  const send = async (contract: Contract, path: string, request: HelmRequest = {}): Promise<Answer> => {
    const { method = contract.method, repository, headers = {}, body } = request;
    return service.client.sendTo(contract, {
      method,
      path: pathOf(path, repository),
      headers: Object.entries({ Authorization: setting.admin.bearer, ...headers }),
      ...(body !== undefined && { body }),
    });
  };
  /** Sends files as a form. */
  const sendForm = async (
    contract: Contract,
    path: string,
    files: Readonly<Record<string, Uint8Array | string>>,
    repository?: Named,
  ): Promise<Answer> => {
    const { content, mediaType } = chartForm(files);
    return send(contract, path, {
      headers: { 'Content-Type': mediaType },
      body: content,
      ...(repository && { repository }),
    });
  };
  const get = async (path: string, request?: HelmRequest): Promise<Answer> => send(getHelmDocument, path, request);
  return {
    setting,
    pathOf,
    send,
    sendForm,
    get,
    /** Publishes a chart, of a new name unless it has one. */
    publish: async (fields: Partial<TestChart> = {}, repository?: Named): Promise<TestChart> => {
      const chart = { name: uniqueName('chart'), version: '1.0.0', ...fields };
      const file = await chartOf(chart);
      const { status, text } = await whenAvailable(() =>
        sendForm(publishChart, 'api/charts', { chart: file }, repository),
      );
      if (status !== 201) throw new Error(`${chart.name} ${chart.version} was not published: ${text}`);
      return chart;
    },
    /** The index of a repository. */
    index: async (repository?: Named): Promise<HelmIndex> => {
      const { status, text } = await whenAvailable(() => get('index.yaml', repository && { repository }));
      if (status !== 200) throw new Error(`The index answered ${status}: ${text}`);
      return JSON.parse(text) as HelmIndex;
    },
  };
};

/** What the clients print of a refusal. */
export const errorOf = ({ text }: Answer): unknown => (JSON.parse(text) as { readonly error?: unknown }).error;
