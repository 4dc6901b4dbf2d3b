import type { Violation } from '../../shared/errors.ts';
import { broken } from '../../shared/packages/formats/format-problem.ts';
import type { JsonObject } from '../../shared/packages/formats/json-objects.ts';

/** The names of crates.io as a registry. */
const cratesIo: ReadonlySet<unknown> = new Set([
  'https://github.com/rust-lang/crates.io-index',
  'sparse+https://index.crates.io/',
]);

/** A requirement without what makes no difference: `1.0`, `^1.0` and `^ 1.0` are one, and so are `1.x` and `1.*`. */
const requirement = (text: unknown): string =>
  String(text)
    .split(',')
    .map((part) =>
      part
        .replaceAll(/\s/g, '')
        .replaceAll(/[xX]/g, '*')
        .replace(/^\d[^*]*$/, '^$&'),
    )
    .join(', ');

/** All that Cargo resolves a dependency by. The registry is compared apart. */
const keyOf = (dependency: JsonObject): string => {
  const { name, version_req, features, optional = false, default_features = true, target = null, kind } = dependency;
  return JSON.stringify([
    name,
    dependency.explicit_name_in_toml ?? null,
    requirement(version_req),
    Array.isArray(features) ? features.map(String).toSorted() : [],
    optional,
    default_features,
    target,
    kind ?? 'normal',
  ]);
};

/** Cargo sends no registry where it is the one that the crate is published to, which Cargo.toml names. */
const isSameRegistry = ({ registry: sent = null }: JsonObject, { registry: own }: JsonObject): boolean =>
  cratesIo.has(own) ? cratesIo.has(sent) : sent === null || sent === own;

/** What those who build a crate need. Its tests are built by nobody else, and Cargo leaves out some of what they need. */
const neededByOthers = (dependencies: readonly JsonObject[]): readonly JsonObject[] =>
  dependencies.filter(({ kind }) => kind !== 'dev');

/**
 * The dependencies that the metadata of a crate and its Cargo.toml do not have in common: an index shows those of the metadata,
 * and whoever reads the crate sees the others.
 */
export const differentDependencies = (sent: readonly JsonObject[], own: readonly JsonObject[]): Violation[] => {
  const left = Map.groupBy(neededByOthers(own), keyOf);
  const unknown = neededByOthers(sent).filter((dependency) => {
    const alike = left.get(keyOf(dependency)) ?? [];
    const at = alike.findIndex((each) => isSameRegistry(dependency, each));
    if (at === -1) return true;
    left.set(keyOf(dependency), alike.toSpliced(at, 1));
    return false;
  });
  const names = new Set([...unknown, ...Array.from(left.values()).flat()].map(({ name }) => String(name)));
  return Array.from(names, (name) =>
    broken(['deps'], 'crate', `The dependency ${name} of the metadata must be that of Cargo.toml in the crate.`),
  );
};
