import { ApiError } from '../../shared/errors.ts';
import { broken, FormatProblem, invalid, requireValidFormat } from '../../shared/packages/formats/format-problem.ts';
import { isObject, type JsonObject, parseObject, textsOf } from '../../shared/packages/formats/json-objects.ts';
import { isDigest } from './digests.ts';

/** The longest manifest that registries take, in bytes (the specification of distribution, "Pushing Manifests"). */
const manifestBytesMax = 4 * 1024 * 1024;

export const ociManifest = 'application/vnd.oci.image.manifest.v1+json';
export const ociIndex = 'application/vnd.oci.image.index.v1+json';

/** The media types of the manifests that are understood, and whether each is an index of others. */
const known: ReadonlyMap<string, boolean> = new Map([
  [ociManifest, false],
  ['application/vnd.docker.distribution.manifest.v2+json', false],
  [ociIndex, true],
  ['application/vnd.docker.distribution.manifest.list.v2+json', true],
]);

/** The media types of manifests. */
export const manifestMediaTypes: readonly string[] = [...known.keys()];

/** What a manifest says, as far as the registry acts on it. */
export interface ImageManifest {
  readonly mediaType: string;
  /** The type of an artifact: its own, or the media type of its config. */
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The digest of the manifest that this one is about. */
  readonly about?: string;
  /** The digests of its config and its layers, but for those that are at other places. */
  readonly blobs: readonly string[];
  /** The digests of what an index lists. They are manifests; old caches of BuildKit list blobs. */
  readonly children: readonly string[];
  /** The digests of those that are also at other places: the image need not have them. */
  readonly elsewhere: readonly string[];
}

/** A descriptor in a manifest, as far as it matters here. */
interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly isElsewhere: boolean;
}

const descriptorOf = (value: unknown, keys: readonly string[]): Descriptor => {
  if (!isObject(value)) throw invalid([broken(keys, 'type', `${keys.join('.')} must be a descriptor.`)]);
  const { mediaType, digest, urls } = value;
  if (typeof digest !== 'string' || !isDigest(digest))
    throw invalid([
      broken([...keys, 'digest'], 'pattern', `${keys.join('.')}.digest must be sha256: and 64 hexadecimal digits.`),
    ]);
  const isElsewhere = Array.isArray(urls) && urls.length > 0;
  return { mediaType: typeof mediaType === 'string' ? mediaType : '', digest, isElsewhere };
};

const descriptorsOf = (manifest: JsonObject, key: string): readonly Descriptor[] => {
  const list = manifest[key] ?? [];
  if (!Array.isArray(list)) throw invalid([broken([key], 'type', `${key} must be a list.`)]);
  return list.map((each, index) => descriptorOf(each, [key, String(index)]));
};

const digestsOf = (descriptors: readonly Descriptor[], wanted: Pick<Descriptor, 'isElsewhere'>): readonly string[] => [
  ...new Set(descriptors.filter((each) => each.isElsewhere === wanted.isElsewhere).map(({ digest }) => digest)),
];

/** The media type of a manifest: that of the request, which the manifest must repeat if it names one. */
const mediaTypeOf = (sent: string | undefined, { mediaType: own }: JsonObject): string => {
  const [type = ''] = (sent ?? '').split(';');
  const mediaType = type.trim() || (typeof own === 'string' ? own : '');
  if (!known.has(mediaType))
    throw new FormatProblem(
      'invalid',
      `The media type of a manifest must be one of ${manifestMediaTypes.join(', ')}. Send it as Content-Type.`,
    );
  if (own !== undefined && own !== mediaType)
    throw invalid([broken(['mediaType'], 'const', `mediaType must be the Content-Type of the request, ${mediaType}.`)]);
  return mediaType;
};

/** Refuses what some clients would read as an image and others as an index (CVE-2021-41190). */
const requireOneKind = (manifest: JsonObject, isIndex: boolean): void => {
  const [kind, foreign] = isIndex ? ['An index', ['config', 'layers']] : ['The manifest of an image', ['manifests']];
  const found = foreign.filter((key) => (manifest[key] ?? null) !== null);
  requireValidFormat(
    found.map((key) => broken([key], 'not', `${kind} must not have ${key}: clients would not agree on what it is.`)),
  );
};

/** Refuses a manifest that is too long, before anybody reads it, with BODY_TOO_LARGE. */
export const requireManifestSize = (bytes: number): void => {
  if (bytes > manifestBytesMax)
    throw new ApiError('BODY_TOO_LARGE', `A manifest may have at most ${manifestBytesMax} bytes.`);
};

/** Reads a manifest. `sent` is the media type of the request. Throws a FormatProblem. */
export const readManifest = (bytes: Uint8Array, sent: string | undefined): ImageManifest => {
  const manifest = parseObject(bytes, 'The manifest');
  const mediaType = mediaTypeOf(sent, manifest);
  if (manifest.schemaVersion !== 2) throw invalid([broken(['schemaVersion'], 'const', 'schemaVersion must be 2.')]);
  const isIndex = known.get(mediaType) === true;
  requireOneKind(manifest, isIndex);
  const config = isIndex ? undefined : descriptorOf(manifest.config, ['config']);
  const parts = config ? [config, ...descriptorsOf(manifest, 'layers')] : [];
  const listed = isIndex ? descriptorsOf(manifest, 'manifests') : [];
  const { artifactType: own, subject } = manifest;
  const artifactType = typeof own === 'string' && own !== '' ? own : config?.mediaType;
  const annotations = textsOf(manifest.annotations);
  return {
    mediaType,
    ...(artifactType && { artifactType }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    ...(subject !== undefined && { about: descriptorOf(subject, ['subject']).digest }),
    blobs: digestsOf(parts, { isElsewhere: false }),
    children: digestsOf(listed, { isElsewhere: false }),
    elsewhere: digestsOf([...parts, ...listed], { isElsewhere: true }),
  };
};
