import { getGoFile, publishGoModule } from '../../functions/go/contracts.ts';
import type { Answer, Client } from './client.ts';
import type { Named } from './world.ts';
import { zipOf } from './zips.ts';

/** The zip of a module at a version, whose files are stored as they are, with a go.mod unless a file of this name is given, or is undefined. */
export const moduleZip = (
  name: string,
  version: string,
  files: Readonly<Record<string, string | undefined>> = {},
): Buffer => {
  const all = { 'go.mod': `module ${name}\n`, ...files };
  return zipOf(
    Object.entries(all).flatMap(([path, content]) =>
      content === undefined ? [] : [{ path: `${name}@${version}/${path}`, content, method: 0 }],
    ),
  );
};

/** A path as go sends it. */
export const escaped = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => `%21${letter.toLowerCase()}`);

interface Asker {
  readonly client: Client;
}

/** A repository of modules, and who asks it. */
export interface GoPlace {
  readonly workspace: Pick<Named, 'id'>;
  readonly repository: Pick<Named, 'id'>;
  readonly as: string;
}

const paramsOf = ({ workspace, repository }: GoPlace, path: string) => ({
  workspace: workspace.id,
  repository: repository.id,
  path,
});

/** Publishes a module zip. */
export const putModule = (
  { client }: Asker,
  place: GoPlace,
  { name, version, zip }: { readonly name: string; readonly version: string; readonly zip?: Uint8Array },
): Promise<Answer> =>
  client.attempt(publishGoModule, {
    params: paramsOf(place, `${escaped(name)}/@v/${escaped(version)}.zip`),
    bytes: { content: zip ?? moduleZip(name, version), mediaType: 'application/zip' },
    as: place.as,
  });

/** Gets a path of a module proxy, exactly as it is written. */
export const getPath = ({ client }: Asker, place: GoPlace, path: string): Promise<Answer> =>
  client.attempt(getGoFile, { params: paramsOf(place, path), as: place.as });

/** What a checksum database says, which upstreams of Go pass on: it is about all modules. */
export const checksumsOfGo: Readonly<Record<string, string>> = {
  'sumdb/sum.golang.org/latest': 'go.sum database tree\n1\n',
  'sumdb/sum.golang.org/tile/8/0/000': 'a tile',
};
