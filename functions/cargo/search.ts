import { isObject, type JsonObject } from '../../shared/packages/formats/json-objects.ts';
import type { StoredIndexes } from '../../shared/packages/serve/search.ts';
import {
  type FoundPackages,
  foundPackages,
  type LoadJson,
  listedObjects,
  type UpstreamSearch,
} from '../../shared/packages/serve/upstream-search.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { fieldsOf } from './index-lines.ts';
import { isCrateName, packageNameOf } from './names.ts';
import { configUrl } from './upstream-documents.ts';
import { compareVersions } from './versions.ts';

/** The query of `cargo search`. */
export interface CrateSearch {
  /** The words that the names contain, spelled like the names of packages. */
  readonly words: readonly string[];
  readonly size: number;
}

const sizeDefault = 10;
/** The maximum number of crates of an answer, as for crates.io. */
const sizeMax = 100;

/** Parses the query of a search. Cargo joins the words that it gets with `+`. */
export const parseSearch = ({ q = '', per_page: size = '' }: { q?: string; per_page?: string }): CrateSearch => ({
  words: q
    .split(/[\s+]+/)
    .filter((word) => word !== '')
    .map(packageNameOf),
  size: /^[1-9]\d{0,8}$/.test(size) ? Math.min(Number(size), sizeMax) : sizeDefault,
});

/** Whether a search finds a package of this name. */
export const isFound = ({ words }: CrateSearch, name: string): boolean => words.every((word) => name.includes(word));

/** A crate as a search describes it (doc.rust-lang.org/cargo/reference/registry-web-api.html#search). */
export interface CrateHit {
  readonly name: string;
  readonly max_version: string;
  readonly description: string | null;
}

/** The highest version of a crate: one that is not yanked, if there is one. */
export const hitOf = (indexes: StoredIndexes): CrateHit | undefined => {
  // The first source that has a version wins.
  const entries = new Map(indexes.toReversed().flatMap((index) => [...index.entries]));
  const versions = Array.from(
    entries.values(),
    ({ parts: [line = '', metadata = ''] }): JsonObject => ({
      ...fieldsOf(line),
      description: fieldsOf(metadata)?.description,
    }),
  ).filter(isVersionLine);
  const offered = versions.filter(({ yanked }) => yanked !== true);
  const [highest] = (offered.length > 0 ? offered : versions).toSorted((one, other) =>
    compareVersions(other.vers, one.vers),
  );
  if (!highest) return undefined;
  const { name, vers, description } = highest;
  return { name, max_version: vers, description: typeof description === 'string' ? description : null };
};

interface VersionLine extends JsonObject {
  readonly name: string;
  readonly vers: string;
}

const isVersionLine = (line: JsonObject): line is VersionLine =>
  typeof line.name === 'string' && typeof line.vers === 'string';

/** A search as upstreams get it. Their API has the address that their config.json gives. */
export const upstreamSearch = (text: string, { words, size }: CrateSearch): UpstreamSearch => ({
  parts: words,
  names: words.filter(isCrateName),
  urlOf: async (source: RemoteRepository, load: LoadJson) => {
    const { api } = (await load(configUrl(source))) ?? {};
    if (typeof api !== 'string' || !URL.canParse(api)) return undefined;
    const url = new URL(`${api.replace(/\/+$/, '')}/api/v1/crates`);
    url.search = `q=${encodeURIComponent(text)}&per_page=${size}`;
    return url.href;
  },
  foundIn: ({ crates, meta }): FoundPackages =>
    foundPackages(
      listedObjects(crates).flatMap((object) => {
        const { name, max_version: version } = object;
        // Cargo fails on a crate without them.
        const isValid = typeof name === 'string' && isCrateName(name) && typeof version === 'string';
        return isValid ? [{ name: packageNameOf(name), object }] : [];
      }),
      isObject(meta) ? meta.total : undefined,
    ),
});
