import { createHash, randomUUID } from 'node:crypto';
import {
  createBlobUpload,
  deleteImageContent,
  getImageContent,
  publishImageContent,
  updateBlobUpload,
} from '../../functions/docker/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { LoadedIndex } from '../../shared/packages/index/package-index.ts';
import { neededBy } from '../../shared/packages/loose-files/loose-files.ts';
import { noVersion, type PackageFile } from '../../shared/table/packages/packages.ts';
import type { Answer } from './client.ts';
import type { Service } from './service.ts';
import { type Actor, type Named, uniqueName } from './world.ts';

export const imageMediaType = 'application/vnd.oci.image.manifest.v1+json';
export const indexMediaType = 'application/vnd.oci.image.index.v1+json';

/** The digest of bytes. */
export const digestOf = (bytes: string | Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** A descriptor of bytes. */
export const descriptorOf = (bytes: string | Uint8Array, mediaType: string) => ({
  mediaType,
  digest: digestOf(bytes),
  size: Buffer.byteLength(bytes),
});

const layerMediaType = 'application/vnd.oci.image.layer.v1.tar';
const configMediaType = 'application/vnd.oci.image.config.v1+json';

/** An image: the bytes of its config and of its layers. */
export interface TestImage {
  readonly config: string;
  readonly layers: readonly (string | Uint8Array)[];
}

/** The descriptor of a layer that is also at another place, so that a manifest may name it although its image does not have it. */
export const elsewhere = (bytes: string | Uint8Array) => ({
  ...descriptorOf(bytes, layerMediaType),
  urls: ['https://layers.example/1'],
});

/** The manifest of an image, as JSON. */
export const manifestOf = ({ config, layers }: TestImage, others: object = {}): string =>
  JSON.stringify({
    schemaVersion: 2,
    mediaType: imageMediaType,
    config: descriptorOf(config, configMediaType),
    layers: layers.map((layer) => descriptorOf(layer, layerMediaType)),
    ...others,
  });

/** An image that nobody else has. */
export const newImage = (layers = 1): TestImage => ({
  config: JSON.stringify({ id: randomUUID() }),
  layers: Array.from({ length: layers }, () => randomUUID()),
});

/** A docker repository in a workspace, and what a client of registries does there. */
export interface ImageWorld {
  readonly workspace: Named;
  readonly admin: Actor;
  readonly repository: Named;
}

type Sent = Parameters<Service['client']['sendTo']>[1] & {
  readonly as?: string | undefined;
  readonly repository?: Pick<Named, 'name'> | undefined;
  readonly type?: string | undefined;
};

const contracts = {
  GET: getImageContent,
  HEAD: getImageContent,
  POST: createBlobUpload,
  PATCH: updateBlobUpload,
  PUT: publishImageContent,
  DELETE: deleteImageContent,
} as const satisfies Record<string, Contract>;

/** Where images are pushed, and who pushes them. */
interface ImagePlace {
  readonly workspace: Pick<Named, 'name'>;
  readonly repository: Pick<Named, 'name'>;
  readonly admin: Pick<Actor, 'bearer'>;
}

/** What a client of registries does in a repository. */
export const imagesOf = (service: Service, setting: ImagePlace) => {
  const base = (repository = setting.repository): string => `/v2/${setting.workspace.name}/${repository.name}`;

  /** Sends a request: the path begins at the image, or is the one of a Location. */
  const send = async (method: keyof typeof contracts, path: string, sent: Sent = {}): Promise<Answer> => {
    const { as = setting.admin.bearer, repository, type, headers = [], ...others } = sent;
    return service.client.sendTo(contracts[method], {
      ...others,
      method,
      path: path.startsWith('/v2/') ? path : `${base(repository)}/${path}`,
      headers: [['Authorization', as], ...(type === undefined ? [] : [['Content-Type', type] as const]), ...headers],
    });
  };

  /** The address at which an upload goes on. */
  const locationOf = ({ headers, status, text }: Answer): string => {
    if (typeof headers.location !== 'string') throw new Error(`There is no Location in ${status} ${text}`);
    return headers.location;
  };

  const begin = async (image: string, sent: Sent = {}): Promise<string> =>
    locationOf(await send('POST', `${image}/blobs/uploads/`, sent));

  const withDigest = (location: string, digest: string): string => `${location}&digest=${digest}`;

  const complete = async (location: string, bytes: string | Uint8Array, body?: string | Uint8Array, sent: Sent = {}) =>
    send('PUT', withDigest(location, digestOf(bytes)), { ...sent, ...(body !== undefined && { body }) });

  const pushBlob = async (image: string, bytes: string | Uint8Array, sent: Sent = {}): Promise<Answer> =>
    complete(await begin(image, sent), bytes, bytes, sent);

  const pushManifest = async (
    image: string,
    reference: string,
    manifest: string,
    { type = imageMediaType, ...sent }: Sent = {},
  ): Promise<Answer> => send('PUT', `${image}/manifests/${reference}`, { ...sent, body: manifest, type });

  /** Pushes a whole image, and expects that it succeeds. */
  const push = async (name: string, tag: string, image = newImage(), sent: Sent = {}, others: object = {}) => {
    for (const bytes of [image.config, ...image.layers]) await pushBlob(name, bytes, sent);
    const manifest = manifestOf(image, others);
    const answer = await pushManifest(name, tag, manifest, sent);
    if (answer.status !== 201) throw new Error(`The image was not pushed: ${answer.text}`);
    return { image, manifest, digest: digestOf(manifest) };
  };

  const get = async (path: string, sent: Sent = {}): Promise<Answer> => send('GET', path, sent);
  const remove = async (path: string, sent: Sent = {}): Promise<Answer> => send('DELETE', path, sent);

  return { base, send, locationOf, begin, withDigest, complete, pushBlob, pushManifest, push, get, remove };
};

/** Makes that world before the tests of a file. */
export const useImages = (service: Service) => {
  const world: Partial<ImageWorld> = {};
  const setting = world as ImageWorld;
  beforeAll(async () => {
    const workspace = await service.world.workspace();
    Object.assign(world, {
      workspace,
      admin: await service.world.systemAdmin(),
      repository: await service.world.repository(workspace, uniqueName('images'), 'docker'),
    });
  });
  return { setting, ...imagesOf(service, setting) };
};

/**
 * What is wrong with the files of a package that belong to no version: a manifest names one that is not there, or the sweeper
 * will never look at one that nothing names. `isQueued` says whether it will look at the package.
 */
export const brokenLooseFiles = (
  what: string,
  files: readonly PackageFile[],
  index: LoadedIndex | undefined,
  isQueued: boolean,
): string[] => {
  const loose = new Set(files.filter(({ version }) => version === noVersion).map(({ file }) => file));
  const entries = [...(index?.entries ?? [])];
  const isOfImage = entries.some(([version]) => version.startsWith('sha256:'));
  const needed = new Set(isOfImage ? entries.flatMap(([, entry]) => neededBy(entry)) : []);
  const manifests = new Set(entries.map(([version]) => version));
  return [
    ...[...needed]
      .filter((digest) => !loose.has(digest) && !manifests.has(digest))
      .map((digest) => `lost: ${what} needs ${digest}`),
    ...(isQueued ? [] : [...loose].filter((digest) => !needed.has(digest))).map(
      (digest) => `garbage: the sweeper will never look at ${digest} of ${what}`,
    ),
  ];
};
