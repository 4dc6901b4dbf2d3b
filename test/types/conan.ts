import { createHash } from 'node:crypto';
import { getConanDocument, getConanSearch, publishConanFile } from '../../functions/conan/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { Answer } from '../harness/client.ts';
import type { Service } from '../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';

/** The hash of a text by which Conan names what it is the content of. */
export const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** The files of a revision, by their names, in the order in which Conan sends them. */
export type RevisionFiles = Readonly<Record<string, string>>;

const manifestOf = (listed: Readonly<Record<string, string>>): string =>
  ['1795465121', ...Object.entries(listed).map(([file, content]) => `${file}: ${md5(content)}`), ''].join('\n');

/** What a recipe has beside its conanfile.py: exported files, and sources of it. */
export interface RecipeParts {
  readonly code?: string;
  readonly exported?: boolean;
  readonly sources?: boolean;
}

/** The files of a recipe. No test looks into its archives. */
export const recipeFiles = ({
  code = 'a recipe',
  exported = false,
  sources = false,
}: RecipeParts = {}): RevisionFiles => ({
  ...(exported && { 'conan_export.tgz': `export of ${code}` }),
  ...(sources && { 'conan_sources.tgz': `sources of ${code}` }),
  'conanfile.py': code,
  'conanmanifest.txt': manifestOf({
    'conanfile.py': code,
    ...(exported && { 'conandata.yml': 'data' }),
    ...(sources && { 'export_source/a.txt': 'text' }),
  }),
});

/** The files of a binary. */
export const binaryFiles = (content = 'a binary', info = '[settings]\nos=Linux\n'): RevisionFiles => ({
  'conan_package.tgz': `archive of ${content}`,
  'conaninfo.txt': info,
  'conanmanifest.txt': manifestOf({ 'conaninfo.txt': info, 'lib/a.a': content }),
});

/** The revision that Conan gives to files: the hash of their manifest. */
export const revisionOf = (files: RevisionFiles): string => md5(files['conanmanifest.txt'] ?? '');

/** A recipe, and a binary of it, as paths name them. */
export const recipePath = (name: string, version = '1.0', place = '_/_'): string => `${name}/${version}/${place}`;

/** What a request leaves out is a plain request of a system admin. */
export interface ConanRequest {
  readonly repository?: Named;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: string;
}

/** A workspace with a repository for Conan, and the requests that are sent to it. */
export const useConan = (service: Service) => {
  const setting = {} as { workspace: Named; repository: Named; admin: Actor };
  beforeAll(async () => {
    const [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
    const repository = await service.world.repository(workspace, undefined, 'conan');
    Object.assign(setting, { workspace, admin, repository });
  });
  const rootOf = ({ name } = setting.repository): string => `/conan/${setting.workspace.name}/${name}`;
  const send = async (contract: Contract, path: string, request: ConanRequest = {}): Promise<Answer> => {
    const { method = contract.method, repository, as = setting.admin.bearer, headers = {}, body } = request;
    return service.client.sendTo(contract, {
      method,
      path: `${rootOf(repository)}/${path}`,
      headers: Object.entries({ Authorization: as, ...headers }),
      ...(body !== undefined && { body: Buffer.from(body) }),
    });
  };
  const get = async (path: string, request?: ConanRequest): Promise<Answer> =>
    send(getConanDocument, `v2/conans/${path}`, request);
  const put = async (path: string, body: string, request?: ConanRequest): Promise<Answer> =>
    send(publishConanFile, `v2/conans/${path}`, { ...request, body });
  /** Sends files of a revision, one after the other. */
  const upload = async (revisionPath: string, files: RevisionFiles, request?: ConanRequest): Promise<void> => {
    for (const [file, content] of Object.entries(files)) {
      const { status, text } = await put(`${revisionPath}/files/${file}`, content, request);
      if (status !== 201 && status !== 200) throw new Error(`${file} was not published: ${status} ${text}`);
    }
  };
  return {
    setting,
    send,
    get,
    put,
    upload,
    urlOf: (path: string, repository?: Named): string => `${service.runner.url}${rootOf(repository)}/${path}`,
    /** Publishes a recipe, of a new package unless it is named; returns its name, its path and that of its revision. */
    publishedRecipe: async (
      {
        name = uniqueName('lib'),
        version = '1.0',
        place = '_/_',
        ...parts
      }: RecipeParts & {
        readonly name?: string;
        readonly version?: string;
        readonly place?: string;
      } = {},
      request?: ConanRequest,
    ) => {
      const files = recipeFiles(parts);
      const path = recipePath(name, version, place);
      const revision = revisionOf(files);
      await upload(`${path}/revisions/${revision}`, files, request);
      return { name, path, revision, revisionPath: `${path}/revisions/${revision}`, files };
    },
    /** Publishes a binary of a revision of a recipe; returns the paths of the binary and of its revision. */
    publishedBinary: async (
      revisionPath: string,
      content?: string,
      packageId = md5(content ?? ''),
      request?: ConanRequest,
    ) => {
      const files = binaryFiles(content);
      const path = `${revisionPath}/packages/${packageId}`;
      const revision = revisionOf(files);
      await upload(`${path}/revisions/${revision}`, files, request);
      return { packageId, path, revision, revisionPath: `${path}/revisions/${revision}`, files };
    },
    /** What a document has, or the status of its refusal. */
    json: async (path: string, request?: ConanRequest): Promise<unknown> => {
      const { status, text } = await get(path, request);
      return status === 200 ? (JSON.parse(text) as unknown) : status;
    },
    /** The recipes that a search finds. */
    search: async (pattern?: string, request?: ConanRequest): Promise<readonly string[]> => {
      const query = pattern === undefined ? '' : `?${new URLSearchParams({ q: pattern }).toString()}`;
      const { status, text } = await send(getConanSearch, `v2/conans/search${query}`, request);
      if (status !== 200) throw new Error(`The search failed: ${text}`);
      return (JSON.parse(text) as { results: string[] }).results;
    },
  };
};
