import { isObject, type JsonObject, textsOf } from '../../shared/packages/formats/json-objects.ts';

/** A question about advisories, without the names that must not leave. */
export interface Audit {
  /** The names in it, each once. */
  readonly names: readonly string[];
  /** What is sent of it, if only these names may be. */
  readonly about: (isTold: (name: string) => boolean) => JsonObject;
  /** The answer where nothing is asked. */
  readonly nothing: JsonObject;
}

type IsTold = (name: string) => boolean;

/** A version, a range or a tag. Other texts name a package or a place: `npm:axios@1.0.0`, `git+ssh://git.acme.dev/ui`. */
const isPlain = (text: unknown): boolean => typeof text === 'string' && !/[:/@]/.test(text);

/** What npm has sent since 7, and Yarn 4: names with their versions. */
const bulk = (body: JsonObject): Audit => ({
  names: Object.keys(body),
  about: (isTold) => {
    const told = Object.entries(body).filter(([name]) => isTold(name));
    return Object.fromEntries(
      told.map(([name, versions]) => [name, Array.isArray(versions) ? versions.filter(isPlain) : []]),
    );
  },
  nothing: {},
});

const alias = /^npm:(?<name>@?[\w./~-]+)(?:@[^:/@]*)?$/;

/** The names in a member of a tree: its own, and that of the package which `npm:axios@1.0.0` stands for. */
const namesIn = (name: string, version: unknown): readonly string[] => {
  const aliased = typeof version === 'string' ? alias.exec(version)?.groups?.name : undefined;
  return aliased === undefined ? [name] : [name, aliased];
};

/** A version as it is told. Where it comes from is not: npm itself makes a `file:` of such places that says nothing. */
const toldVersion = (version: string): string => (isPlain(version) || alias.test(version) ? version : 'file:');

const objectsOf = (entries: unknown): [string, JsonObject][] =>
  isObject(entries) ? Object.entries(entries).filter((entry): entry is [string, JsonObject] => isObject(entry[1])) : [];

const namesOfTree = ({ requires, dependencies }: JsonObject): readonly string[] => [
  ...textsOf(requires).flatMap(([name, range]) => namesIn(name, range)),
  ...objectsOf(dependencies).flatMap(([name, each]) => [...namesIn(name, each.version), ...namesOfTree(each)]),
];

/** The members of an object that have some names and a type of JSON. */
const picked = (object: JsonObject, type: 'string' | 'boolean', ...keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.flatMap((key) => (typeof object[key] === type ? [[key, object[key]]] : [])));

/** What is told of a package in a tree. */
const packageAbout = (each: JsonObject, isTold: IsTold): JsonObject => ({
  ...(typeof each.version === 'string' && { version: toldVersion(each.version) }),
  ...picked(each, 'string', 'integrity'),
  ...picked(each, 'boolean', 'dev', 'optional', 'bundled'),
  ...treeAbout(each, isTold),
});

const treeAbout = ({ requires, dependencies }: JsonObject, isTold: IsTold): JsonObject => {
  const ranges = textsOf(requires).filter((entry) => namesIn(...entry).every(isTold));
  const packages = objectsOf(dependencies).filter(([name, { version }]) => namesIn(name, version).every(isTold));
  return {
    ...(isObject(requires) && {
      requires: Object.fromEntries(ranges.map(([name, range]) => [name, toldVersion(range)])),
    }),
    ...(isObject(dependencies) && {
      dependencies: Object.fromEntries(packages.map(([name, each]) => [name, packageAbout(each, isTold)])),
    }),
  };
};

/** What is told of a project beside its tree: what it installs and removes are names, so these lists are sent empty. */
const projectAbout = ({ install, remove, metadata }: JsonObject): JsonObject => ({
  ...(Array.isArray(install) && { install: [] }),
  ...(Array.isArray(remove) && { remove: [] }),
  ...(isObject(metadata) && { metadata: picked(metadata, 'string', 'npm_version', 'node_version', 'platform') }),
});

/** What older clients and pnpm send: the tree of a project, whose own name is nobody's business. Only what is known of the form is sent on. */
const tree = (body: JsonObject): Audit => ({
  names: [...new Set(namesOfTree(body))],
  about: (isTold) => ({ ...projectAbout(body), ...treeAbout(body, isTold) }),
  nothing: {
    actions: [],
    advisories: {},
    muted: [],
    metadata: {
      vulnerabilities: { info: 0, low: 0, moderate: 0, high: 0, critical: 0 },
      dependencies: 0,
      devDependencies: 0,
      optionalDependencies: 0,
      totalDependencies: 0,
    },
  },
});

const audits: Readonly<Record<string, (body: JsonObject) => Audit>> = {
  'advisories/bulk': bulk,
  'audits/quick': tree,
  audits: tree,
};

/** The question that a body asks at a path below `-/npm/v1/security/`; undefined if there is no such path. */
export const auditAt = (path: string): ((body: JsonObject) => Audit) | undefined =>
  Object.hasOwn(audits, path) ? audits[path] : undefined;
