import { isObject, type JsonObject, parseObject, without } from '../../shared/packages/formats/json-objects.ts';
import { requireSize } from '../../shared/packages/index/entry-bounds.ts';
import type { Features } from './features.ts';
import type { CrateMetadata } from './metadata.ts';
import { isCrateName } from './names.ts';
import { isVersion, versionOf } from './versions.ts';

/** What an index says of one version: a line of JSON. Cargo reads a file of such lines for each crate. */
export interface IndexLine {
  /** The name in the spelling of its publisher. */
  readonly name: string;
  /** The version without build metadata. */
  readonly version: string;
  readonly text: string;
  /** Set if a gate yanked it. */
  readonly isHeld?: true;
}

/** The lines of Stockroom, of crates.io and of its mirrors begin so, and need no parsing: a crate can have thousands of them. */
const beginning = /^\{"name": ?"(?<name>[\w-]+)", ?"vers": ?"(?<vers>[\w.+-]+)",/;

/** Reads a line; undefined if it is that of no version. Cargo ignores such a line, too. */
export const readLine = (text: string): IndexLine | undefined => {
  const { name, vers } = beginning.exec(text)?.groups ?? fieldsOf(text) ?? {};
  if (typeof name !== 'string' || typeof vers !== 'string') return undefined;
  return isCrateName(name) && isVersion(vers) ? { name, version: versionOf(vers), text } : undefined;
};

/** The fields of a line; undefined if it is no JSON object. */
export const fieldsOf = (text: string): JsonObject | undefined => {
  try {
    return parseObject(text, 'The line');
  } catch {
    return undefined;
  }
};

/** A feature that Cargo before 1.60 does not understand. It ignores `features2`, and entries whose `v` it does not know. */
const isNewFeature = (values: readonly string[]): boolean =>
  values.some((value) => value.startsWith('dep:') || value.includes('?/'));

const select = (features: Features, isWanted: (values: readonly string[]) => boolean): Features =>
  Object.fromEntries(Object.entries(features).filter(([, values]) => isWanted(values)));

/** A publication calls a dependency by the name of its package, and the index by the name in Cargo.toml. */
const dependencyOf = ({
  name,
  explicit_name_in_toml: renamed,
  version_req: req,
  ...others
}: JsonObject): JsonObject => {
  const { registry, ...rest } = others;
  const isRenamed = typeof renamed === 'string' && renamed !== name;
  return {
    name: isRenamed ? renamed : name,
    req,
    features: [],
    optional: false,
    default_features: true,
    target: null,
    ...rest,
    kind: rest.kind ?? 'normal',
    // Without a registry, the dependency comes from the registry of this index.
    ...(typeof registry === 'string' && { registry }),
    ...(isRenamed && { package: name }),
  };
};

/** The line of a version that is published now (doc.rust-lang.org/cargo/reference/registry-index.html#json-schema). */
const indexLineOf = ({ name, vers, deps, features, links, rust_version }: CrateMetadata, cksum: string): string => {
  const features2 = select(features, isNewFeature);
  const hasNew = Object.keys(features2).length > 0;
  return JSON.stringify({
    name,
    vers,
    deps: deps.map(dependencyOf),
    cksum,
    features: select(features, (values) => !isNewFeature(values)),
    ...(hasNew && { features2 }),
    yanked: false,
    links: links ?? null,
    ...(rust_version != null && { rust_version }),
    // The only form that Cargo reads.
    pubtime: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
    ...(hasNew && { v: 2 }),
  });
};

/** The maximum sizes of the line of a version, which Cargo reads with those of all versions, and of the rest of its metadata. */
const lineBytesMax = 256_000;
const restBytesMax = 256_000;

/**
 * The parts of the index entry of a version: its line, and the metadata that an index does not contain. Throws PACKAGE_INVALID if
 * they are too large.
 */
export const partsOf = (metadata: CrateMetadata, cksum: string): readonly string[] => {
  const line = indexLineOf(metadata, cksum);
  // The crate contains its readme.
  const rest = JSON.stringify(without(metadata, 'name', 'vers', 'deps', 'features', 'links', 'rust_version', 'readme'));
  requireSize('The index line of the version, with its dependencies and features,', line, lineBytesMax);
  requireSize('The description of the version, with its other metadata,', rest, restBytesMax);
  return [line, rest];
};

/** Whether a version is yanked. */
export const isYankedIn = ([line = '{}']: readonly string[]): boolean =>
  (JSON.parse(line) as JsonObject).yanked === true;

/** The parts of a version that is yanked, or no longer; undefined if it is so already. */
export const withYanked = ([line = '{}', ...others]: readonly string[], yanked: boolean): string[] | undefined => {
  const fields = JSON.parse(line) as JsonObject;
  return fields.yanked === yanked ? undefined : [JSON.stringify({ ...fields, yanked }), ...others];
};

/** The lines of several indexes as one. Each version comes from the first index that has it and does not hold it back. */
export const mergeLines = (indexes: readonly (readonly IndexLine[])[]): readonly IndexLine[] => {
  const merged = new Map<string, IndexLine>();
  for (const line of indexes.flat()) {
    const before = merged.get(line.version);
    if (!before || (before.isHeld && !line.isHeld)) merged.set(line.version, line);
  }
  return [...merged.values()];
};

/** Whether a line may have a dependency from another registry. */
export const namesRegistry = (text: string): boolean => text.includes('"sparse+');

/**
 * The line as the readers of a repository need it: a dependency whose registry is one of `addresses` is in that repository, and
 * Cargo would need a setting and a credential for each other address of it.
 */
export const localized = (text: string, isHere: (registry: string) => boolean): string => {
  if (!namesRegistry(text)) return text;
  const line = JSON.parse(text) as JsonObject;
  const deps = Array.isArray(line.deps) ? line.deps.filter(isObject) : [];
  const isOurs = ({ registry }: JsonObject): boolean => typeof registry === 'string' && isHere(registry);
  if (!deps.some(isOurs)) return text;
  return JSON.stringify({ ...line, deps: deps.map((dep) => (isOurs(dep) ? without(dep, 'registry') : dep)) });
};
