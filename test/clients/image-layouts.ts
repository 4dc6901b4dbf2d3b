import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { archiveOf } from '../harness/helm.ts';
import { digestOf, imageMediaType, indexMediaType } from '../harness/images.ts';

/** The media types of what the tests push. github.com/opencontainers/image-spec/blob/v1.1.1/media-types.md */
export const mediaTypes = {
  index: indexMediaType,
  manifest: imageMediaType,
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

/** What a manifest or an index says of a blob or of a manifest. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly os: string; readonly architecture: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A manifest or an index as its JSON. */
export interface ImageDocument {
  readonly mediaType?: string;
  readonly config?: Descriptor;
  readonly layers?: readonly Descriptor[];
  readonly manifests?: readonly Descriptor[];
}

/** A folder with images, as the image specification lays it out: blobs by their digests, and an index of tags. */
export class ImageLayout {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  private fileOf(digest: string): string {
    return join(this.directory, 'blobs', ...digest.split(':'));
  }

  read(digest: string): Buffer {
    return readFileSync(this.fileOf(digest));
  }

  document(digest: string): ImageDocument {
    return JSON.parse(this.read(digest).toString()) as ImageDocument;
  }

  /** The image of the layout: the tagged one, where a client also lists those of an index. */
  get top(): Descriptor {
    const { manifests } = JSON.parse(readFileSync(join(this.directory, 'index.json'), 'utf8')) as {
      readonly manifests: readonly Descriptor[];
    };
    const tagged = manifests.filter(({ annotations }) => annotations?.['org.opencontainers.image.ref.name']);
    const [top, ...others] = tagged.length > 0 ? tagged : manifests;
    if (!top || others.length > 0) throw new Error(`${this.directory} has not one image: ${JSON.stringify(manifests)}`);
    return top;
  }

  add(bytes: Uint8Array | string, mediaType: string): Descriptor {
    const digest = digestOf(bytes);
    mkdirSync(join(this.directory, 'blobs', 'sha256'), { recursive: true });
    writeFileSync(this.fileOf(digest), bytes);
    return { mediaType, digest, size: Buffer.byteLength(bytes) };
  }

  /** Makes this manifest or index the image of the layout, under a tag. */
  finish(top: Descriptor, tag: string): void {
    writeFileSync(join(this.directory, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
    const manifests = [{ ...top, annotations: { 'org.opencontainers.image.ref.name': tag } }];
    const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests };
    writeFileSync(join(this.directory, 'index.json'), JSON.stringify(index));
  }

  /** The digests of the image, of the images in it if it is an index, and of all their blobs. */
  digests(digest = this.top.digest): readonly string[] {
    const { config, layers = [], manifests = [] } = this.document(digest);
    const blobs = [...(config ? [config] : []), ...layers].map((each) => each.digest);
    return [digest, ...blobs, ...manifests.flatMap((each) => this.digests(each.digest))].toSorted();
  }

  /** The content of the files in the layers of an image, by their paths. */
  async files(): Promise<Readonly<Record<string, string>>> {
    const found: Record<string, string> = {};
    for (const { digest } of this.document(this.top.digest).layers ?? []) {
      const archive = extract();
      archive.end(gunzipSync(this.read(digest)));
      for await (const entry of archive) {
        const chunks: Buffer[] = [];
        for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
        if (entry.header.type === 'file') found[entry.header.name] = Buffer.concat(chunks).toString();
      }
    }
    return found;
  }
}

/** The files of an image, in layers. */
export type Layers = readonly Readonly<Record<string, string>>[];

const addImage = async (layout: ImageLayout, layers: Layers, architecture: string): Promise<Descriptor> => {
  const archives = await Promise.all(layers.map(archiveOf));
  const config = layout.add(
    JSON.stringify({
      architecture,
      os: 'linux',
      config: { Cmd: ['/hello'] },
      rootfs: { type: 'layers', diff_ids: archives.map((archive) => digestOf(gunzipSync(archive))) },
      history: layers.map(() => ({ created_by: 'a test' })),
    }),
    mediaTypes.config,
  );
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config,
    layers: archives.map((archive) => layout.add(archive, mediaTypes.layer)),
  };
  const added = layout.add(JSON.stringify(manifest), mediaTypes.manifest);
  return { ...added, platform: { os: 'linux', architecture } };
};

/** Writes an image with these layers. */
export const writeImage = async (
  directory: string,
  layers: Layers,
  { tag = 'made', architecture = 'amd64' } = {},
): Promise<ImageLayout> => {
  const layout = new ImageLayout(directory);
  layout.finish(await addImage(layout, layers, architecture), tag);
  return layout;
};

/** Writes an index of an image for each of two platforms. */
export const writeIndex = async (
  directory: string,
  [amd64, arm64]: readonly [Layers, Layers],
  tag = 'made',
): Promise<ImageLayout> => {
  const layout = new ImageLayout(directory);
  const manifests = [await addImage(layout, amd64, 'amd64'), await addImage(layout, arm64, 'arm64')];
  const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests };
  layout.finish(layout.add(JSON.stringify(index), mediaTypes.index), tag);
  return layout;
};
