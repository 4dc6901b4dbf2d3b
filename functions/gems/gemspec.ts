import type { Violation } from '../../shared/errors.ts';
import { broken, malformed, requireValidFormat } from '../../shared/packages/formats/format-problem.ts';
import { isObject, type JsonObject } from '../../shared/packages/formats/json-objects.ts';
import { parseYaml } from '../../shared/packages/formats/yaml.ts';
import { fullNameOf, readFullName } from './full-names.ts';
import { newNameProblems } from './names.ts';
import { isPlatform, platformOf, platformText } from './platforms.ts';
import { isVersion } from './versions.ts';

/** A condition of a version, such as `>= 1.0`. */
export type Requirement = readonly [operator: string, version: string];

/** A gem that a gem needs. */
export interface Dependency {
  readonly name: string;
  readonly requirements: readonly Requirement[];
  readonly type: 'runtime' | 'development';
  readonly isPrerelease: boolean;
}

/** What a gem says of itself: the fields of `Gem::Specification` that indexes have. */
export interface Gemspec {
  readonly name: string;
  readonly version: string;
  /** Absent for `ruby`. */
  readonly platform?: string | undefined;
  /** As `YYYY-MM-DD`. */
  readonly date: string;
  readonly rubygemsVersion: string;
  readonly summary: string | null;
  readonly description: string | null;
  readonly homepage: string | null;
  readonly email: string | null | readonly (string | null)[];
  readonly authors: readonly (string | null)[];
  readonly licenses: readonly (string | null)[];
  readonly metadata: readonly (readonly [key: string, value: string])[];
  readonly dependencies: readonly Dependency[];
  readonly requiredRubyVersion: readonly Requirement[];
  readonly requiredRubygemsVersion: readonly Requirement[];
}

/** A gem has at most so many dependencies, and a dependency so many conditions: an alias repeats a long list in a few bytes. */
const [dependenciesMax, requirementsMax, textsMax] = [1000, 50, 1000];

const label = 'The metadata of the gem';

const textOrNull = (value: unknown, field: string): string | null => {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return null;
  throw malformed(`${label} must have a text as ${field}.`);
};

const listOf = (value: unknown, field: string, max: number): readonly unknown[] => {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw malformed(`${label} must have a list as ${field}.`);
  if (value.length > max) throw malformed(`${label} must have at most ${max} ${field}.`);
  return value;
};

const textsOf = (value: unknown, field: string): readonly (string | null)[] =>
  listOf(value, field, textsMax).map((each) => textOrNull(each, field));

const versionIn = (value: unknown, field: string): string => {
  const version = isObject(value) ? value.version : undefined;
  if (typeof version === 'string' && isVersion(version)) return version;
  throw malformed(`${label} must have a version such as 1.0.0 as ${field}; a built gem has no hyphen in it.`);
};

const operators = new Set(['=', '!=', '>', '<', '>=', '<=', '~>']);

/** No requirement at all is that of any version. */
const requirementsIn = (value: unknown, field: string): readonly Requirement[] => {
  if (value === undefined || value === null) return [['>=', '0']];
  if (!isObject(value)) throw malformed(`${label} must have requirements as ${field}.`);
  const pairs = listOf(value.requirements ?? [], field, requirementsMax);
  return pairs.map((pair): Requirement => {
    const [operator, version] = Array.isArray(pair) ? pair : [];
    if (typeof operator !== 'string' || !operators.has(operator))
      throw malformed(`${label} has a requirement without an operator in ${field}.`);
    return [operator, versionIn(version, field)];
  });
};

const dependencyOf = (value: unknown): Dependency => {
  const { name, requirement, version_requirements: old, type, prerelease } = isObject(value) ? value : {};
  const problems = typeof name === 'string' ? newNameProblems(name) : ['A dependency must have a name.'];
  if (typeof name !== 'string' || problems.length > 0) throw malformed(`${label} has a dependency whose name is none.`);
  return {
    name,
    requirements: requirementsIn(requirement ?? old, `the requirements of ${name}`),
    type: type === ':development' ? 'development' : 'runtime',
    isPrerelease: prerelease === 'true',
  };
};

const metadataIn = (value: unknown): readonly (readonly [string, string])[] => {
  if (value === undefined || value === null) return [];
  if (!isObject(value)) throw malformed(`${label} must have an object as metadata.`);
  const members = listOf(Object.entries(value), 'metadata', textsMax) as readonly (readonly [string, unknown])[];
  return members.map(([key, each]) => [key, textOrNull(each, `metadata.${key}`) ?? '']);
};

/** The day of a time. A time of another form is that of no gem, and becomes the first day of all. */
const dayOf = (value: unknown): string => /^\d{4}-\d\d-\d\d/.exec(String(value))?.[0] ?? '1970-01-01';

/** The platform, which old gems have in parts. */
const platformIn = (value: unknown): string | undefined => {
  if (value === undefined || value === null || value === 'ruby' || value === '') return undefined;
  const partOf = (part: unknown): string | null => textOrNull(part, 'platform');
  const platform = isObject(value)
    ? { cpu: partOf(value.cpu), os: partOf(value.os), version: partOf(value.version) }
    : platformOf(partOf(value) ?? '');
  return platformText(platform);
};

const problemsOf = (spec: Gemspec): readonly Violation[] => {
  const { name, platform } = spec;
  const violations = newNameProblems(name).map((problem) => broken(['name'], 'name', problem));
  if (platform !== undefined && !isPlatform(platform))
    return [
      ...violations,
      broken(['platform'], 'platform', 'The platform must be one of RubyGems, such as x86_64-linux.'),
    ];
  const fullName = fullNameOf(spec);
  const read = readFullName(fullName);
  if (violations.length > 0 || (read && fullNameOf(read) === fullName && read.name === name)) return violations;
  return [
    broken(
      ['name'],
      'name',
      `${fullName}.gem would be the file of another gem or is too long: rename '${name}' so that no part of its name is a version.`,
    ),
  ];
};

/** Reads the metadata of a gem, the YAML of `Gem::Specification`. Throws a FormatProblem. */
export const readGemspec = (bytes: Uint8Array): Gemspec => {
  const value = parseYaml(bytes, label, { isTagged: true });
  if (!isObject(value)) throw malformed(`${label} must be an object.`);
  const spec = gemspecOf(value);
  const violations = problemsOf(spec);
  requireValidFormat(violations);
  return spec;
};

const gemspecOf = (value: JsonObject): Gemspec => ({
  name: textOrNull(value.name, 'name') ?? '',
  version: versionIn(value.version, 'version'),
  platform: platformIn(value.platform),
  date: dayOf(value.date),
  rubygemsVersion: textOrNull(value.rubygems_version, 'rubygems_version') ?? '0',
  summary: textOrNull(value.summary, 'summary'),
  description: textOrNull(value.description, 'description'),
  homepage: textOrNull(value.homepage, 'homepage'),
  email: Array.isArray(value.email) ? textsOf(value.email, 'email') : textOrNull(value.email, 'email'),
  authors: textsOf(value.authors, 'authors'),
  licenses: textsOf(value.licenses, 'licenses'),
  metadata: metadataIn(value.metadata),
  dependencies: listOf(value.dependencies, 'dependencies', dependenciesMax).map(dependencyOf),
  requiredRubyVersion: requirementsIn(value.required_ruby_version, 'required_ruby_version'),
  requiredRubygemsVersion: requirementsIn(value.required_rubygems_version, 'required_rubygems_version'),
});
