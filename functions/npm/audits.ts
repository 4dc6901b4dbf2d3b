import { isObject, type JsonObject, without } from '../../shared/packages/formats/json-objects.ts';

/** A question about advisories, without the names that must not leave. */
export interface Audit {
  /** The names in it, each once. */
  readonly names: readonly string[];
  /** What is sent of it, if only these names may be. */
  readonly about: (isTold: (name: string) => boolean) => JsonObject;
  /** The answer where nothing is asked. */
  readonly nothing: JsonObject;
}

const namesOf = (entries: unknown): readonly string[] => (isObject(entries) ? Object.keys(entries) : []);

const only = (entries: unknown, isTold: (name: string) => boolean): JsonObject =>
  isObject(entries) ? Object.fromEntries(Object.entries(entries).filter(([name]) => isTold(name))) : {};

/** What npm has sent since 7, and Yarn 4: names with their versions. */
const bulk = (body: JsonObject): Audit => ({
  names: namesOf(body),
  about: (isTold) => only(body, isTold),
  nothing: {},
});

/** How deep packages may be nested in each other. */
const depthMax = 200;

const namesIn = (tree: JsonObject, depth = 0): readonly string[] => {
  if (depth > depthMax) return [];
  const { requires, dependencies } = tree;
  const inner = isObject(dependencies) ? Object.values(dependencies).filter(isObject) : [];
  return [...namesOf(requires), ...namesOf(dependencies), ...inner.flatMap((each) => namesIn(each, depth + 1))];
};

const treeAbout = (tree: JsonObject, isTold: (name: string) => boolean, depth = 0): JsonObject => {
  const { requires, dependencies } = tree;
  const told = depth > depthMax ? {} : only(dependencies, isTold);
  const inner = Object.entries(told).map(([name, each]) => [
    name,
    isObject(each) ? treeAbout(each, isTold, depth + 1) : each,
  ]);
  return {
    ...tree,
    ...(isObject(requires) && { requires: only(requires, isTold) }),
    ...(isObject(dependencies) && { dependencies: Object.fromEntries(inner) }),
  };
};

/** What older clients and pnpm send: the tree of a project, whose own name is nobody's business. */
const tree = (body: JsonObject): Audit => {
  const named = without(body, 'name', 'version');
  return {
    names: [...new Set(namesIn(named))],
    about: (isTold) => treeAbout(named, isTold),
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
  };
};

const audits: Readonly<Record<string, (body: JsonObject) => Audit>> = {
  'advisories/bulk': bulk,
  'audits/quick': tree,
  audits: tree,
};

/** The question that a body asks at a path below `-/npm/v1/security/`; undefined if there is no such path. */
export const auditAt = (path: string): ((body: JsonObject) => Audit) | undefined =>
  Object.hasOwn(audits, path) ? audits[path] : undefined;
