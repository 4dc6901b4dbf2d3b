import { createHash } from 'node:crypto';
import { getComposerDocument, publishComposerPackage } from '../../functions/composer/contracts.ts';
import { filePath, publishedFile } from '../../functions/composer/paths.ts';
import { normalize, versionOf } from '../../functions/composer/versions.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { Answer } from '../harness/client.ts';
import { type PackageFormat, paramsOf } from '../harness/package-format.ts';
import { whenAvailable } from '../harness/retry.ts';
import type { Service } from '../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { zipOf } from '../harness/zips.ts';

/** A package of the tests, with further members of its composer.json. */
export interface TestPackage {
  readonly name: string;
  readonly version?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  /** The content of a file of it. */
  readonly content?: string;
  /** The folder that everything is in, with a slash. */
  readonly folder?: string;
}

/** The zip of a package: not compressed, so that a large file stays large. */
export const packageZip = ({ name, version, fields = {}, content = '', folder = '' }: TestPackage): Buffer => {
  const manifest = JSON.stringify({ name, description: 'A package of a test', ...(version && { version }), ...fields });
  return zipOf([
    { path: `${folder}composer.json`, content: manifest, method: 0 },
    { path: `${folder}src/content.php`, content: `<?php /*${content}*/`, method: 0 },
  ]);
};

/** The content in the bytes of a zip, read as text. */
export const contentInZip = (text: string): string | undefined => /<\?php \/\*(.*?)\*\//s.exec(text)?.[1];

/** The path of the file of a version that was published, as documents have it. */
export const pathOfFile = (name: string, version: string): string => {
  const key = versionOf(normalize(version) ?? version);
  return filePath(name, key, publishedFile(name, key));
};

/** A version in a document. */
export interface ShownVersion {
  readonly version: string;
  readonly version_normalized: string;
  readonly dist?: { readonly url: string; readonly reference: string; readonly shasum: string; readonly type: string };
  readonly [member: string]: unknown;
}

/** The versions in a minified document, each whole, as the client of Composer reads it. */
export const versionsOf = (text: string, name: string): ShownVersion[] => {
  const { packages, minified } = JSON.parse(text) as {
    packages: Record<string, Record<string, unknown>[]>;
    minified?: string;
  };
  let whole: Record<string, unknown> = {};
  return (packages[name] ?? []).map((each) => {
    const members = Object.entries(minified === 'composer/2.0' ? { ...whole, ...each } : each);
    whole = Object.fromEntries(members.filter(([, value]) => value !== '__unset'));
    return whole as ShownVersion;
  });
};

export const sha1 = (bytes: Uint8Array | string): string => createHash('sha1').update(bytes).digest('hex');

/** A request below the address of a repository; what it leaves out is a plain request of a system admin. */
export interface ComposerRequest {
  readonly repository?: Named;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: Uint8Array;
  readonly query?: string;
}

/** A workspace with a repository for Composer, and the requests that are sent to it. */
export const useComposer = (service: Service) => {
  const setting = {} as { workspace: Named; repository: Named; admin: Actor };
  beforeAll(async () => {
    const [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
    const repository = await service.world.repository(workspace, undefined, 'composer');
    Object.assign(setting, { workspace, admin, repository });
  });
  const rootOf = ({ name } = setting.repository): string => `/composer/${setting.workspace.name}/${name}`;
  const send = async (contract: Contract, path: string, request: ComposerRequest = {}): Promise<Answer> => {
    const { method = contract.method, repository, as = setting.admin.bearer, headers = {}, body, query } = request;
    return service.client.sendTo(contract, {
      method,
      path: `${rootOf(repository)}${path === '' ? '' : `/${path}`}${query === undefined ? '' : `?${query}`}`,
      headers: Object.entries({ Authorization: as, ...headers }),
      ...(body && { body }),
    });
  };
  const get = async (path: string, request?: ComposerRequest): Promise<Answer> =>
    send(getComposerDocument, path, request);
  const publish = async (body: Uint8Array, request?: ComposerRequest): Promise<Answer> =>
    send(publishComposerPackage, '', { ...request, body });
  return {
    setting,
    send,
    get,
    publish,
    urlOf: (path: string, repository?: Named): string => `${service.runner.url}${rootOf(repository)}/${path}`,
    /** Publishes a version, of a new package unless it is named; returns the name. */
    published: async (each: Partial<TestPackage> = {}, request?: ComposerRequest): Promise<string> => {
      const whole = { name: `acme/${uniqueName('app')}`, version: '1.0.0', ...each };
      const { status, text } = await whenAvailable(() => publish(packageZip(whole), request));
      if (status !== 201) throw new Error(`${whole.name} ${whole.version} was not published: ${text}`);
      return whole.name;
    },
    /** The versions of a package as a client sees them. */
    versions: async (name: string, request?: ComposerRequest): Promise<ShownVersion[]> => {
      const { status, text } = await get(`p2/${name}.json`, request);
      if (status !== 200) throw new Error(`${name} was not found: ${text}`);
      return versionsOf(text, name.replace(/~dev$/, ''));
    },
  };
};

/** What the clients of the type do. */
export const composerFormat: PackageFormat = {
  packageType: 'composer',
  nameOf: (word) => `acme/${word}`,
  publishing: publishComposerPackage,
  downloading: getComposerDocument,
  publish: async ({ client }, { name, version, as, workspace, repository }, content) =>
    client.attempt(publishComposerPackage, {
      params: { workspace: workspace.id, repository: repository.id },
      bytes: { content: packageZip({ name, version, content }), mediaType: 'application/zip' },
      as,
    }),
  download: async ({ client }, { name, version, as, ...place }) => {
    const ask = async (path: string) => client.attempt(getComposerDocument, { params: paramsOf(place, path), as });
    const published = await ask(pathOfFile(name, version));
    // Through a remote repository, the file has the name that its document gives it.
    const { status, text } = published.status === 404 ? await ask(`p2/${name}.json`) : { status: 0, text: '' };
    const listed = status === 200 ? versionsOf(text, name).find((each) => each.version === version) : undefined;
    const [, path] = /\/(dist\/.*)$/.exec(listed?.dist?.url ?? '') ?? [];
    const answer = path === undefined ? published : await ask(path);
    return { ...answer, text: contentInZip(answer.text) ?? answer.text };
  },
  versions: async ({ client }, { name, as, ...place }) => {
    const { status, text } = await client.attempt(getComposerDocument, {
      params: paramsOf(place, `p2/${name}.json`),
      as,
    });
    return status === 200 ? versionsOf(text, name).map(({ version }) => version) : undefined;
  },
};
