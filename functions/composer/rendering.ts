import { type JsonObject, without } from '../../shared/packages/formats/json-objects.ts';
import type { ComposerVersion, Dist } from './index-entries.ts';
import { minifiedForm, minifiedText } from './minified.ts';
import { filePath } from './paths.ts';
import { compareNormalized, isDevelopment } from './versions.ts';

/** Which versions of a package a document has. */
export interface WantedVersions {
  readonly name: string;
  readonly isDevelopment: boolean;
}

/** The versions of several sources as one list, the newest first. Each version comes from the first source that has it. */
export const mergedVersions = (sources: readonly (readonly ComposerVersion[])[]): readonly ComposerVersion[] => {
  const merged = new Map<string, ComposerVersion>();
  for (const each of sources.flat()) if (!merged.has(each.version)) merged.set(each.version, each);
  return [...merged.values()].toSorted((one, other) => compareNormalized(other.normalized, one.normalized));
};

const distOf = (url: string, { type, file, reference, shasum }: Dist, { name, version }: AddressedVersion) => ({
  type,
  // Absolute: lock files keep it, and Composer does not complete it.
  url: `${url}/${filePath(name, version, file)}`,
  reference,
  shasum,
});

interface AddressedVersion {
  readonly name: string;
  readonly version: string;
}

/** What a document of a package has, and for whom. */
interface RenderedDocument extends WantedVersions {
  /** The URL of the repository that was asked. */
  readonly url: string;
  /** Set if rules keep names from upstreams: git would fetch the source of a version of theirs past this service. */
  readonly hidesSources: boolean;
}

/** The document of a package, with those of its versions that it is to have. */
export const renderVersions = (
  { name, isDevelopment: isWanted, url, hidesSources }: RenderedDocument,
  versions: readonly ComposerVersion[],
): Buffer => {
  const shownOf = ({ version, fields, dist, isForeign }: ComposerVersion): JsonObject => {
    const members = isForeign && hidesSources ? without(fields, 'source') : fields;
    return dist ? { ...members, dist: distOf(url, dist, { name, version }) } : members;
  };
  const shown = versions.filter(({ version }) => isDevelopment(version) === isWanted).map(shownOf);
  return Buffer.from(
    `{"packages":{${JSON.stringify(name)}:${minifiedText(shown)}},"minified":${JSON.stringify(minifiedForm)}}`,
  );
};
