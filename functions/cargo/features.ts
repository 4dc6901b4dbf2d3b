import type { Violation } from '../../shared/errors.ts';
import { broken } from '../../shared/packages/formats/format-problem.ts';
import { isObject, type JsonObject } from '../../shared/packages/formats/json-objects.ts';

/** The features of a crate, each with what it enables. */
export type Features = Readonly<Record<string, readonly string[]>>;

export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

export const isFeatures = (value: unknown): value is Features => isObject(value) && Object.values(value).every(isTexts);

const isFeatureName = (name: string): boolean => /^[\p{XID_Start}_0-9][\p{XID_Continue}+.-]*$/u.test(name);

/** The dependency that a feature enables, or of which it enables a feature: `dep:a`, `a/b` and `a?/b`. */
const dependencyIn = (value: string): string | undefined => {
  const [before = '', after] = value.split('/', 2);
  if (after !== undefined) return before.replace(/\?$/, '');
  return value.startsWith('dep:') ? value.slice('dep:'.length) : undefined;
};

/** The names of dependencies in Cargo.toml, each with whether it is optional. */
const optionalIn = (deps: readonly JsonObject[]): ReadonlyMap<string, boolean> => {
  const found = new Map<string, boolean>();
  for (const { name, explicit_name_in_toml: renamed, optional } of deps) {
    const key = String(renamed ?? name);
    found.set(key, found.get(key) === true || optional === true);
  }
  return found;
};

/** What the features of a crate are checked against, as `build_feature_map` of Cargo has it. */
class FeatureCheck {
  private readonly features: Features;
  private readonly optional: ReadonlyMap<string, boolean>;
  /** What features enable as `dep:a`: such a dependency makes no feature of its own name. */
  private readonly hidden: ReadonlySet<string>;
  private readonly used: ReadonlySet<string | undefined>;

  constructor(features: Features, deps: readonly JsonObject[]) {
    const values = Object.values(features).flat();
    this.features = features;
    this.optional = optionalIn(deps);
    this.hidden = new Set(
      values.filter((value) => value.startsWith('dep:')).map((value) => value.slice('dep:'.length)),
    );
    this.used = new Set(values.map(dependencyIn));
  }

  private isImplicit(name: string): boolean {
    return this.optional.get(name) === true && !this.hidden.has(name);
  }

  private isEnabled(value: string): boolean {
    const dependency = dependencyIn(value);
    if (dependency === undefined) return Object.hasOwn(this.features, value) || this.isImplicit(value);
    const needsOptional = value.startsWith('dep:') || value.startsWith(`${dependency}?/`);
    return needsOptional ? this.optional.get(dependency) === true : this.optional.has(dependency);
  }

  /** The first rule that the features break, as a sentence. */
  problem(): string | undefined {
    for (const [name, values] of Object.entries(this.features)) {
      const shown = name.slice(0, 100);
      if (!isFeatureName(name))
        return `'${shown}' is no name of a feature: it consists of letters, digits, '_', '-', '+' and '.', and begins with a letter, a digit or '_'.`;
      const value = values.find((each) => !this.isEnabled(each));
      if (value !== undefined)
        return `The feature ${shown} enables '${value.slice(0, 100)}', which must be another feature, an optional dependency as in dep:name, or a feature of a dependency as in name/feature.`;
    }
    for (const [name, isOptional] of this.optional)
      if (isOptional && Object.hasOwn(this.features, name) && !this.used.has(name))
        return `The feature ${name} has the name of an optional dependency, which a feature must enable as dep:${name}.`;
    return undefined;
  }
}

/** What Cargo could not read of the features: it would hide the version. */
export const brokenFeatures = (features: Features, deps: readonly JsonObject[]): Violation[] => {
  const problem = new FeatureCheck(features, deps).problem();
  return problem === undefined ? [] : [broken(['features'], 'feature', problem)];
};

/** Cargo leaves out what features enable of dependencies that only tests of a workspace have. */
const writtenFeatures = (features: unknown, deps: readonly JsonObject[]): ReadonlyMap<string, string> => {
  const known = optionalIn(deps);
  const isKept = (value: string): boolean => known.has(dependencyIn(value) ?? '') || dependencyIn(value) === undefined;
  return new Map(
    Object.entries(isFeatures(features) ? features : {}).map(([name, values]) => [
      name,
      JSON.stringify([...new Set(values.filter(isKept))].toSorted()),
    ]),
  );
};

/** The features that metadata and Cargo.toml do not have in common. Old versions of Cargo also send that of each optional dependency. */
export const differentFeatures = (sent: Features, own: unknown, deps: readonly JsonObject[]): Violation[] => {
  const [ofMetadata, ofManifest] = [writtenFeatures(sent, deps), writtenFeatures(own, deps)];
  const names = [...new Set([...ofMetadata.keys(), ...ofManifest.keys()])].filter(
    (name) =>
      ofMetadata.get(name) !== ofManifest.get(name) &&
      !(!ofManifest.has(name) && ofMetadata.get(name) === JSON.stringify([`dep:${name}`])),
  );
  return names.map((name) =>
    broken(
      ['features'],
      'crate',
      `The feature ${name.slice(0, 100)} of the metadata must be that of Cargo.toml in the crate.`,
    ),
  );
};
