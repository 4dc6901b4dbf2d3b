import { getMavenFile, publishMavenFile } from '../../../functions/maven/contracts.ts';
import type { Answer } from '../../harness/client.ts';
import type { Service } from '../../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../../harness/world.ts';

/** Requests of Maven to the repositories of one workspace. */
export class MavenWorkspace {
  private readonly service: Service;
  readonly workspace: Named;
  readonly admin: Actor;

  constructor(service: Service, workspace: Named, admin: Actor) {
    this.service = service;
    this.workspace = workspace;
    this.admin = admin;
  }

  static async create(service: Service): Promise<MavenWorkspace> {
    return new MavenWorkspace(service, await service.world.workspace(), await service.world.systemAdmin());
  }

  local(): Promise<Named> {
    return this.service.world.repository(this.workspace, undefined, 'maven');
  }

  put(repository: Named, path: string, body: string | Uint8Array, as = this.admin.bearer): Promise<Answer> {
    return this.service.client.sendTo(publishMavenFile, {
      path: this.pathOf(repository, path),
      headers: [['Authorization', as]],
      body,
    });
  }

  /** Publishes files, by their paths, and expects that all are accepted. */
  async publish(repository: Named, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
    for (const [path, body] of Object.entries(files)) {
      const { status, text } = await this.put(repository, path, body);
      if (status !== 201) throw new Error(`${path} was not published: ${text}`);
    }
  }

  get(
    repository: Named,
    path: string,
    {
      method = 'GET',
      headers = {},
    }: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Answer> {
    return this.service.client.sendTo(getMavenFile, {
      method,
      path: this.pathOf(repository, path),
      headers: [['Authorization', this.admin.bearer], ...Object.entries(headers)],
    });
  }

  private pathOf(repository: Named, path: string): string {
    return `/maven/${this.workspace.name}/${repository.name}/${path}`;
  }
}

/** The path of a new artifact in the group org.acme. */
export const newArtifact = (): string => `org/acme/${uniqueName('app')}`;

/** The path of a file of a version. */
export const fileOf = (artifact: string, version: string, ending = '.jar'): string =>
  `${artifact}/${version}/${artifact.split('/').at(-1)}-${version}${ending}`;

/** The texts of all elements with this name in a document. */
export const textsOf = (xml: string, name: string): string[] =>
  Array.from(xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g')), ([, text = '']) => text);
