import { Match, Matcher, Template } from 'aws-cdk-lib/assertions';
import type { Resources, TemplateFile, TemplateResource } from './templates.ts';

type Held = Readonly<Record<string, unknown>>;

/** One promise about the template: how many resources of a type there are, or what each of them holds. */
export interface Pin {
  readonly promise: string;
  readonly type: string;
  /** Which resources of that type. */
  readonly of: Held;
  /** How many there are; at least one when absent. */
  readonly count: number | undefined;
  /** What each one holds, in the matchers of CDK: plain objects may hold more, arrays may not. */
  readonly held: Held;
}

/** The parts of a resource. Where none is named, a pin is about properties. */
const parts = new Set(['Properties', 'Metadata', 'DeletionPolicy', 'UpdateReplacePolicy', 'UpdatePolicy', 'DependsOn']);

const ofResource = (held: Held): Held =>
  Object.keys(held).some((name) => parts.has(name)) ? held : { Properties: held };

/** How many there are, what each holds, or both. */
type Expected = number | Held | readonly [count: number, held: Held];

const countAndHeld = (expected: Expected): Pick<Pin, 'count' | 'held'> => {
  if (typeof expected === 'number') return { count: expected, held: {} };
  const [count, held] = Array.isArray(expected) ? (expected as [number, Held]) : [undefined, expected as Held];
  return { count, held: ofResource(held) };
};

/** Pins about the resources of a type, or about some of them, by promise. */
export const about = (
  resources: string | readonly [type: string, of: Held],
  promises: Readonly<Record<string, Expected>>,
): Pin[] => {
  const [type, of = {}] = typeof resources === 'string' ? [resources] : resources;
  return Object.entries(promises).map(([promise, expected]) => {
    const { count, held } = countAndHeld(expected);
    return { promise, type, of: ofResource(of), count, held };
  });
};

const patterns = new WeakMap<Matcher, Held>();

/** This, and nothing beside it. */
export const exactly = (pattern: Held): Matcher => {
  const matcher = Match.exact(pattern);
  patterns.set(matcher, pattern);
  return matcher;
};

/** The logical ID that CDK gives to what stands at a path of constructs. */
export const named = (path: string): Matcher => Match.stringLikeRegexp(`^${path}[0-9A-F]{8}$`);

const matching = (resources: Resources, matches: (resource: TemplateResource) => boolean): Resources =>
  Object.fromEntries(Object.entries(resources).filter(([, resource]) => matches(resource)));

const holds = (resource: TemplateResource, held: Held): boolean => !Match.objectLike(held).test(resource).hasFailed();

/** The resources of a template that have the type of a pin. CDK's own search takes the square of their number. */
export const resourcesOf = ({ type }: Pin, template: Template): Resources =>
  matching((template.toJSON() as TemplateFile).Resources, ({ Type }) => Type === type);

const lookedAt = ({ type, of }: Pin, resources: Resources): Resources =>
  matching(resources, (resource) => resource.Type === type && holds(resource, of));

const countOf = ({ count }: Pin, { length }: readonly unknown[]): number => count ?? Math.max(length, 1);

/** Whether a pin holds. */
export const isHeld = (pin: Pin, resources: Resources): boolean => {
  const all = Object.values(lookedAt(pin, resources));
  return all.length === countOf(pin, all) && all.every((each) => holds(each, pin.held));
};

/** Throws when a pin does not hold, in CDK's words. */
export const check = (pin: Pin, resources: Resources): void => {
  if (isHeld(pin, resources)) return;
  const found = lookedAt(pin, resources);
  // Whether a template has a circle is asked of whole templates.
  const template = Template.fromJSON({ Resources: found }, { skipCyclicalDependenciesCheck: true });
  template.resourceCountIs(pin.type, countOf(pin, Object.values(found)));
  template.allResources(pin.type, pin.held);
  throw new Error(`${pin.promise}: this pin does not hold, and CDK does not say why.`);
};

/** The places of a pattern, each of which a resource can break. */
const placesIn = (held: unknown, path: readonly string[]): (readonly string[])[] => {
  if (held instanceof Matcher && held.name === 'anyValue') return [];
  const pattern = held instanceof Matcher ? patterns.get(held) : held;
  if (typeof pattern !== 'object' || pattern === null) return [path];
  const inside = Object.entries(pattern).flatMap(([name, part]) => placesIn(part, [...path, name]));
  return pattern === held && !Array.isArray(pattern) && inside.length > 0 ? inside : [path, ...inside];
};

const changed = (value: unknown): unknown => {
  if (value === undefined) return 'something';
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return value.startsWith('{') ? '{}' : `${value}-changed`;
  return Array.isArray(value) ? [...(value as unknown[]), 'more'] : { ...(value as object), more: 'more' };
};

type Part = Record<string, unknown>;

/** A copy of a resource in which what stands at a place became something else; nothing where that is undefined. */
const changedAt = (
  resource: TemplateResource,
  path: readonly string[],
  change: (value: unknown) => unknown,
): TemplateResource => {
  const copy = { ...structuredClone(resource) };
  let parent: Part = copy;
  for (const name of path.slice(0, -1)) {
    parent[name] ??= {};
    parent = parent[name] as Part;
  }
  const last = path.at(-1) ?? '';
  const value = change(parent[last]);
  if (value !== undefined) parent[last] = value;
  else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete parent[last];
  return copy;
};

const without = (resources: Resources, ids: readonly string[]): Resources =>
  Object.fromEntries(Object.entries(resources).filter(([id]) => !ids.includes(id)));

/** Templates that break a pin, each in another way; what looks at it must turn red for all of them. */
export const breaches = (pin: Pin, resources: Resources): [breach: string, broken: Resources][] => {
  const found = lookedAt(pin, resources);
  const [id = ''] = Object.keys(found);
  const victim = found[id];
  if (!victim) return [['one of its kind', { ...resources, planted: { Type: pin.type, Properties: {} } }]];
  const counted = [
    ['one missing', without(resources, [id])],
    ['one more', { ...resources, planted: victim }],
  ] satisfies [string, Resources][];
  const places = Object.entries(pin.held).flatMap(([name, part]) => placesIn(part, [name]));
  const changes = places.flatMap((path) => [
    [`another ${path.join('.')}`, changedAt(victim, path, changed)] as const,
    [`no ${path.join('.')}`, changedAt(victim, path, () => undefined)] as const,
  ]);
  return [
    ['all missing', without(resources, Object.keys(found))],
    ...(pin.count === undefined ? [] : counted),
    ...changes
      .filter(([, copy]) => JSON.stringify(copy) !== JSON.stringify(victim))
      .map(([breach, copy]): [string, Resources] => [breach, { ...resources, [id]: copy }]),
  ];
};
