import type { Violation } from '../../shared/errors.ts';
import { broken, requireValidFormat } from '../../shared/packages/formats/format-problem.ts';
import { isObject, type JsonObject } from '../../shared/packages/formats/json-objects.ts';
import { type Features, isFeatures, isTexts } from './features.ts';
import { isCrateName, newNameProblems } from './names.ts';
import { isVersion } from './versions.ts';

/** The metadata of a version, as `cargo publish` sends it, with members that this service does not know. */
export interface CrateMetadata extends JsonObject {
  readonly name: string;
  readonly vers: string;
  readonly deps: readonly JsonObject[];
  readonly features: Features;
  readonly links?: string | null;
  readonly rust_version?: string | null;
}

const kinds: ReadonlySet<unknown> = new Set(['normal', 'dev', 'build', undefined, null]);

const isTextOrNothing = (value: unknown): value is string | null | undefined =>
  value == null || typeof value === 'string';

const isRustVersion = (text: string): boolean => /^\d{1,9}(?:\.\d{1,9}){0,2}$/.test(text);

/** Checks what an index says of a version. A line that Cargo cannot read would hide the version. */
export const checkMetadata = (metadata: JsonObject): CrateMetadata => {
  const { name, vers, deps = [], features = {}, links = null, rust_version = null } = metadata;
  const crate = typeof name === 'string' ? name : '';
  const violations: Violation[] = newNameProblems(crate).map((message) => broken(['name'], 'name', message));
  if (typeof vers !== 'string' || !isVersion(vers))
    violations.push(
      broken(['vers'], 'semver', 'The version must be one of SemVer with at most 150 characters, such as 1.0.0.'),
    );
  for (const [field, value] of Object.entries({ links, rust_version }))
    if (!isTextOrNothing(value)) violations.push(broken([field], 'type', `${field} must be a text or null.`));
  if (typeof rust_version === 'string' && !isRustVersion(rust_version))
    violations.push(
      broken(['rust_version'], 'version', 'rust_version must be one to three numbers, such as 1.70 or 1.70.1.'),
    );
  const checked = { deps: checkDependencies(deps, violations), features: checkFeatures(features, violations) };
  requireValidFormat(violations);
  return { ...metadata, ...checked, name: crate, vers: vers as string, links, rust_version } as CrateMetadata;
};

const checkDependencies = (deps: unknown, violations: Violation[]): readonly JsonObject[] => {
  if (!Array.isArray(deps) || !deps.every(isObject)) {
    violations.push(broken(['deps'], 'type', 'deps must be an array of objects.'));
    return [];
  }
  for (const [at, dependency] of deps.entries()) {
    const rule = brokenRule(dependency);
    if (rule !== undefined) violations.push(broken(['deps', `${at}`], 'dependency', `The dependency ${at} ${rule}.`));
  }
  return deps;
};

/** The rule that a dependency breaks, as the predicate of a sentence. */
const brokenRule = (dependency: JsonObject): string | undefined => {
  const { name, version_req: req, features = [], optional = false, default_features = true, target, kind } = dependency;
  const { registry, explicit_name_in_toml: renamed } = dependency;
  if (typeof name !== 'string' || !isCrateName(name)) return 'must have the name of a crate';
  if (typeof req !== 'string' || req === '') return 'must have a version_req, such as ^1.0';
  if (!isTexts(features)) return 'must have features that are texts';
  if (typeof optional !== 'boolean' || typeof default_features !== 'boolean')
    return 'must have booleans as optional and default_features';
  if (![target, registry, renamed].every(isTextOrNothing))
    return 'must have texts as target, registry and explicit_name_in_toml';
  return kinds.has(kind) ? undefined : 'must have the kind normal, dev or build';
};

const checkFeatures = (features: unknown, violations: Violation[]): Features => {
  if (isFeatures(features)) return features;
  violations.push(broken(['features'], 'type', 'features must be an object whose values are arrays of texts.'));
  return {};
};
