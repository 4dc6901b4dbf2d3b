import type { Violation } from '../../shared/errors.ts';
import { broken, requireValidFormat } from '../../shared/packages/formats/format-problem.ts';
import { isObject, type JsonObject, without } from '../../shared/packages/formats/json-objects.ts';
import { isConstraint } from './constraints.ts';
import { newNameProblems } from './names.ts';
import { nameableVersion, normalize, versionOf } from './versions.ts';

/** What a composer.json says of a version, with members that this service does not know. */
export interface PackageManifest extends JsonObject {
  readonly name: string;
  /** The version in the spelling of its publisher. */
  readonly version: string;
  readonly version_normalized: string;
}

/** Members that only a repository sets: it says itself where a version is. */
const ofRepositories = ['dist', 'source', 'notification-url', 'installation-source', 'transport-options'] as const;

const isText = (value: unknown): value is string => typeof value === 'string';

const isTexts = (value: unknown): boolean => isText(value) || (Array.isArray(value) && value.every(isText));

/** An empty list is what PHP writes for an empty object. */
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const isTextByName = (value: unknown): boolean =>
  isEmptyList(value) || (isObject(value) && Object.values(value).every(isText));

const isAnyObject = (value: unknown): boolean => isEmptyList(value) || isObject(value);

interface Rule {
  readonly isKept: (value: unknown) => boolean;
  readonly must: string;
}

const texts: Rule = { isKept: isTexts, must: 'must be a text or a list of texts' };
const links: Rule = { isKept: isTextByName, must: 'must be an object whose values are texts' };
const object: Rule = { isKept: isAnyObject, must: 'must be an object' };
const list: Rule = {
  isKept: (value) => Array.isArray(value) && value.every(isText),
  must: 'must be a list of texts',
};
const plain: Rule = { isKept: isText, must: 'must be a text' };

/** Members, and members of them, of which one that Composer cannot read would hide all versions of the package. */
const rules: Readonly<Record<string, Rule>> = {
  type: plain,
  time: plain,
  description: plain,
  homepage: plain,
  require: links,
  'require-dev': links,
  conflict: links,
  replace: links,
  provide: links,
  suggest: links,
  autoload: object,
  'autoload-dev': object,
  extra: { isKept: (value) => isAnyObject(value) || Array.isArray(value), must: 'must be an object' },
  license: texts,
  bin: texts,
  keywords: texts,
  'include-path': list,
  'target-dir': plain,
  support: object,
  'php-ext': object,
  'archive.name': plain,
  'archive.exclude': list,
  'extra.branch-alias': links,
};

const memberOf = (fields: JsonObject, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), fields);

const brokenRules = (fields: JsonObject): Violation[] =>
  Object.entries(rules).flatMap(([path, { isKept, must }]) => {
    const value = memberOf(fields, path);
    return value === undefined || isKept(value)
      ? []
      : [broken(path.split('.'), 'type', `${path} in composer.json ${must}.`)];
  });

/** Members that name packages, each with a constraint. */
const constrained = ['require', 'require-dev', 'conflict', 'replace', 'provide'] as const;

/** The first constraint of each member that Composer cannot read. */
const brokenConstraints = (fields: JsonObject): Violation[] =>
  constrained.flatMap((member) => {
    const constraints = Object.entries(isObject(fields[member]) ? fields[member] : {});
    const found = constraints.find(([, value]) => isText(value) && value !== 'self.version' && !isConstraint(value));
    if (!found) return [];
    const [name, constraint] = found.map((text) => String(text).slice(0, 100));
    const message = `${member} in composer.json has the constraint '${constraint}' for '${name}', which Composer cannot read: it must be one such as ^1.0, >=1.0 <3.0 or dev-main.`;
    return [broken([member], 'constraint', message)];
  });

const versionProblem = (inManifest: unknown, asked: string | undefined): string | undefined => {
  if (inManifest !== undefined && !isText(inManifest)) return 'The version in composer.json must be a text.';
  const version = inManifest ?? asked;
  if (version === undefined)
    return 'composer.json says no version: add one to it, or to the address, as in ?version=1.0.0. A form has packageVersion for it.';
  const normal = nameableVersion(version);
  if (normal === undefined)
    return `'${version.slice(0, 100)}' is no version of Composer, such as 1.0.0, 1.0.0-beta2, 1.x-dev or dev-main, with at most 150 characters.`;
  return asked !== undefined && normalize(asked) !== normal
    ? `composer.json says the version '${version}', and the request another one, '${asked.slice(0, 100)}'.`
    : undefined;
};

/** Checks what a composer.json says, with the version that a request gives. Throws its problems. */
export const checkManifest = (fields: JsonObject, asked: string | undefined, now: Date): PackageManifest => {
  const name = isText(fields.name) ? fields.name : '';
  const problem = versionProblem(fields.version, asked);
  const violations = [
    ...newNameProblems(name).map((message) => broken(['name'], 'name', message)),
    ...(problem === undefined ? [] : [broken(['version'], 'version', problem)]),
    ...brokenRules(fields),
    ...brokenConstraints(fields),
  ];
  requireValidFormat(violations);
  const version = isText(fields.version) ? fields.version : (asked ?? '');
  return {
    time: now.toISOString(),
    ...without(fields, ...ofRepositories),
    name,
    version,
    version_normalized: normalize(version) ?? '',
  };
};

/** The version by which a manifest is stored and found. */
export const keyOf = ({ version_normalized: normalized }: PackageManifest): string => versionOf(normalized);
