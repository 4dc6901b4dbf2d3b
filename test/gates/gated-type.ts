import type { RequestListener } from 'node:http';
import type { Contract } from '../../shared/http/contract.ts';
import type { PackageType } from '../../shared/package-types.ts';
import type { DocumentName } from '../../shared/table/packages/package-keys.ts';
import type { Answer } from '../harness/client.ts';
import type { Service } from '../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';

/** A version of an upstream, and its age in hours; undefined if the upstream says no time. */
export type Ages = Readonly<Record<string, number | undefined>>;

/** Asks a repository of a type for a path, as an admin. */
export type Ask = (
  contract: Contract,
  type: PackageType,
  repository: Pick<Named, 'name'>,
  path: string,
  headers?: Readonly<Record<string, string>>,
  method?: 'GET' | 'HEAD',
) => Promise<Answer>;

/** Asks the repositories of a workspace as an admin. Service and setting may be made later than this, before the first question. */
export const askIn =
  (service: Service, setting: { readonly workspace: Named; readonly admin: Actor }): Ask =>
  async (contract, type, { name }, path, headers = {}, method = 'GET') => {
    const request = {
      method,
      path: `/${type}/${setting.workspace.name}/${name}/${path}`,
      headers: Object.entries({ Authorization: setting.admin.bearer, ...headers }),
    };
    // A refusal of HEAD has no body to check.
    return method === 'HEAD' ? service.client.raw(request) : service.client.sendTo(contract, request);
  };

/** What a package type asks, and where its upstream is. */
export interface GateWorld {
  readonly upstream: { readonly url: string };
  readonly ask: Ask;
}

/** What the clients of a package type read of a remote repository, and what its upstream has. */
export interface GatedType {
  readonly type: PackageType;
  /** By default, a plain name. */
  readonly newName?: () => string;
  /** What a version is called here; by default, as in the ages. */
  readonly versionOf?: (version: string) => string;
  /** Set if no upstream leaves a time out. */
  readonly isAlwaysTimed?: true;
  /** Where the upstream is, below its host. */
  readonly urlPath?: string;
  readonly answer: (name: string, ages: Ages) => RequestListener;
  /** The versions in each form of each document. */
  readonly listed: (repository: Named, name: string) => Promise<readonly (readonly string[])[]>;
  /** The answers to requests for the index, in each form. */
  readonly documents: (
    repository: Named,
    name: string,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<readonly Answer[]>;
  /** The paths of a version and of what belongs to it. */
  readonly files: (name: string, version: string) => readonly string[];
  readonly file: Contract;
  /** The documents in which a remote repository keeps what its upstream lists. */
  readonly kept: (name: string) => readonly DocumentName[];
  /** The documents about one version, once somebody asked for it. */
  readonly keptOf?: (name: string, version: string) => readonly DocumentName[];
}

const hour = 3_600_000;

export const timeAgo = (hours: number): string => `${new Date(Date.now() - hours * hour).toISOString().slice(0, 19)}Z`;
export const timeOf = (hours: number | undefined): string | undefined =>
  hours === undefined ? undefined : timeAgo(hours);

export const newName = (): string => uniqueName('p').replaceAll(/[^a-z0-9]/g, '');

export const json = ({ text }: Answer): unknown => JSON.parse(text);

/** Serves what another listener does, but for the text at one path. */
export const rewritten =
  (listener: RequestListener, path: string, change: (text: string) => string): RequestListener =>
  (request, response) => {
    const { end } = response;
    if (request.url === path)
      response.end = ((body: unknown) => end.call(response, change(String(body)), 'utf8')) as typeof end;
    listener(request, response);
  };

/** Serves these contents by their paths. */
export const sent =
  (routes: Readonly<Record<string, string | Uint8Array>>): RequestListener =>
  (request, response) => {
    const body = routes[decodeURIComponent(request.url ?? '').split('?')[0] ?? ''];
    response.writeHead(body === undefined ? 404 : 200).end(body);
  };
