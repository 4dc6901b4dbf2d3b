import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { getHelmDocument, publishChart } from '../../functions/helm/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { Answer } from './client.ts';
import { whenAvailable } from './retry.ts';
import type { Service } from './service.ts';
import { type Actor, type Named, uniqueName } from './world.ts';

/** A chart of the tests. */
export interface TestChart {
  readonly name: string;
  readonly version: string;
  /** The text in its template. */
  readonly content?: string;
  /** Lines of its Chart.yaml after the name and the version. */
  readonly lines?: string;
}

/** The Chart.yaml of a chart. */
export const chartYamlOf = ({ name, version, lines = '' }: TestChart): string =>
  `apiVersion: v2\nname: ${name}\nversion: ${version}\n${lines}`;

/** A gzipped tar archive of some files: always the same bytes, and not compressed, so that a large file stays large. */
export const archiveOf = async (files: Readonly<Record<string, string>>): Promise<Buffer> => {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name, mtime: new Date(0) }, content);
  archive.finalize();
  return gzipSync(await buffer(archive), { level: 0 });
};

/** The file that `helm package` makes of a chart. It renders one ConfigMap with the content. */
export const chartOf = async (chart: TestChart): Promise<Buffer> => {
  const data = `  content: |\n    <content>${chart.content ?? ''}</content>\n`;
  const template = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: content\ndata:\n${data}`;
  return archiveOf({
    [`${chart.name}/Chart.yaml`]: chartYamlOf(chart),
    [`${chart.name}/templates/content.yaml`]: template,
  });
};

/** The content in the bytes of a chart, or in what helm renders of it. */
export const contentIn = (text: string): string | undefined =>
  /<content>(?<content>.*)<\/content>/s.exec(text)?.groups?.content;

/** A form with files, as clients of ChartMuseum send it. */
export const chartForm = (files: Readonly<Record<string, Uint8Array | string>>) => {
  const boundary = 'the-boundary';
  const parts = Object.entries(files).flatMap(([field, content]) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="/tmp/${field}.tgz"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return {
    content: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
    mediaType: `multipart/form-data; boundary=${boundary}`,
  };
};

/** A provenance file as helm makes it, without a valid signature. */
export const provenanceOf = (chart: TestChart, file: Uint8Array): string => {
  const sha256 = createHash('sha256').update(file).digest('hex');
  return [
    '-----BEGIN PGP SIGNED MESSAGE-----',
    'Hash: SHA512',
    '',
    chartYamlOf(chart),
    '...',
    'files:',
    `  ${chart.name}-${chart.version}.tgz: sha256:${sha256}`,
    '-----BEGIN PGP SIGNATURE-----',
    '',
    'wsBcBAEBCgAQ',
    '=YgnR',
    '-----END PGP SIGNATURE-----',
  ].join('\n');
};

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
