import { parse } from 'smol-toml';
import type { Violation } from '../../shared/errors.ts';
import { broken, invalid, malformed, requireValidFormat } from '../../shared/packages/formats/format-problem.ts';
import { isObject, type JsonObject, parseObject, without } from '../../shared/packages/formats/json-objects.ts';
import { brokenFeatures, differentFeatures } from './features.ts';
import { type CrateMetadata, checkMetadata } from './metadata.ts';
import { differentDependencies } from './same-dependencies.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a Cargo.toml to plain data. */
export const parseManifest = (bytes: Uint8Array): JsonObject => {
  try {
    const table = parse(utf8.decode(bytes), { integersAsBigInt: 'asNeeded', maxDepth: 64 });
    // Dates and large numbers become texts. The check of the depth and of the keys is that of JSON.
    const json = JSON.stringify(table, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    return parseObject(json, 'Cargo.toml in the crate');
  } catch (error) {
    throw malformed('Cargo.toml in the crate is not well-formed TOML.', error);
  }
};

/** Name and version of the package in a Cargo.toml. */
const packageIn = ({ package: table }: JsonObject): JsonObject => (isObject(table) ? table : {});

/** What only old versions of Cargo leave out of the metadata. */
const differentFields = ({ links, rust_version }: CrateMetadata, own: JsonObject): Violation[] =>
  Object.entries({ links: [links, own.links], rust_version: [rust_version, own['rust-version']] }).flatMap(
    ([field, [sent, written]]) =>
      sent == null || sent === written
        ? []
        : [broken([field], 'crate', `The ${field} of the metadata must be that of Cargo.toml in the crate.`)],
  );

/** Refuses a crate whose folder or whose Cargo.toml is of another version than its metadata, or says other things of it. */
export const requireSame = (
  metadata: CrateMetadata,
  { folder, manifest }: { readonly folder: string; readonly manifest: JsonObject },
): void => {
  const { name, vers, deps, features } = metadata;
  const own = packageIn(manifest);
  const { name: ownName, version: ownVersion } = own;
  if (ownName !== name || ownVersion !== vers || folder !== `${name}-${vers}`) {
    const message = `The crate must be that of ${name} ${vers}: its Cargo.toml and the folder in it must have this name and this version.`;
    throw invalid([broken(['name'], 'crate', message)]);
  }
  const ofDependencies = differentDependencies(deps, allDependenciesIn(manifest));
  requireValidFormat(ofDependencies);
  const violations = [
    ...brokenFeatures(features, deps),
    ...differentFeatures(features, manifest.features, deps),
    ...differentFields(metadata, own),
  ];
  requireValidFormat(violations);
};

/** The registry of dependencies that name none, as every index names it. */
const defaultRegistry = 'https://github.com/rust-lang/crates.io-index';

/** The tables of dependencies in a Cargo.toml, with the kind that each stands for. */
const tables = { dependencies: 'normal', 'dev-dependencies': 'dev', 'build-dependencies': 'build' } as const;

/**
 * The metadata of a crate from its Cargo.toml, as `cargo publish` would send it. Cargo writes this Cargo.toml when it makes the
 * crate: nothing in it depends on a workspace or on a folder.
 */
export const metadataOf = (manifest: JsonObject): CrateMetadata => {
  const { name, version, links, 'rust-version': rustVersion, ...others } = packageIn(manifest);
  return checkMetadata({
    ...without(others, 'metadata', 'readme'),
    name,
    vers: version,
    deps: allDependenciesIn(manifest),
    features: manifest.features ?? {},
    links: links ?? null,
    rust_version: rustVersion ?? null,
  });
};

const allDependenciesIn = (manifest: JsonObject): JsonObject[] => {
  const targets = isObject(manifest.target) ? Object.entries(manifest.target) : [];
  return [
    ...dependenciesIn(manifest, null),
    ...targets.flatMap(([target, table]) => (isObject(table) ? dependenciesIn(table, target) : [])),
  ];
};

const dependenciesIn = (manifest: JsonObject, target: string | null): JsonObject[] =>
  Object.entries(tables).flatMap(([field, kind]) => {
    // Cargo still reads the old spelling of a crate that nobody has packaged again.
    const table = manifest[field] ?? manifest[field.replace('-', '_')];
    return Object.entries(isObject(table) ? table : {}).map(([key, value]) =>
      dependencyOf(key, isObject(value) ? value : { version: value }, { kind, target }),
    );
  });

const dependencyOf = (key: string, dependency: JsonObject, origin: JsonObject): JsonObject => {
  const { version, features, optional, 'default-features': defaults, package: name, ...others } = dependency;
  return {
    name: name ?? key,
    version_req: requirementOf(version ?? '*'),
    features: features ?? [],
    optional: optional ?? false,
    default_features: defaults ?? others.default_features ?? true,
    ...origin,
    registry: others['registry-index'] ?? defaultRegistry,
    ...(name !== undefined && { explicit_name_in_toml: key }),
  };
};

/** A requirement as Cargo writes it: `1.0` means `^1.0`. */
const requirementOf = (version: unknown): unknown =>
  typeof version === 'string'
    ? version
        .split(',')
        .map((part) => part.trim())
        .map((part) => (/^\d[^*]*$/.test(part) ? `^${part}` : part))
        .join(', ')
    : version;
