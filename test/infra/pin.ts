import { isDeepStrictEqual } from 'node:util';
import type { TemplateResource } from './templates.ts';

/** One promise about the template: what stands at a path of each resource of a type. */
export interface Pin {
  readonly promise: string;
  readonly type: string;
  /** Which resources of that type; all of them when absent. */
  readonly of?: (resource: TemplateResource) => boolean;
  /** How many there are; at least one when absent. */
  readonly count?: number;
  /** Where to look, in dots: `Properties.TracingConfig.Mode`; absent where only the count matters. */
  readonly path?: string;
  /** What stands there: a value, or a rule about it. `undefined` stands for nothing. */
  readonly expected?: unknown;
  readonly rule?: (value: unknown) => boolean;
}

export const valueAt = (resource: TemplateResource, path: string): unknown =>
  path.split('.').reduce((at: unknown, key) => (at as Record<string, unknown> | undefined)?.[key], resource);

const holdsFor = ({ path, expected, rule }: Pin, resource: TemplateResource): boolean => {
  if (path === undefined) return true;
  const value = valueAt(resource, path);
  return rule ? rule(value) : isDeepStrictEqual(value, expected);
};

/** The resources that a pin looks at. */
export const lookedAt = ({ type, of }: Pin, resources: readonly TemplateResource[]): TemplateResource[] =>
  resources.filter((resource) => resource.Type === type && (of?.(resource) ?? true));

/** Why a pin does not hold; nothing when it does. */
export const failures = (pin: Pin, resources: readonly TemplateResource[]): string[] => {
  const found = lookedAt(pin, resources);
  if (pin.count === undefined ? found.length === 0 : found.length !== pin.count)
    return [`There are ${found.length} of ${pin.type}.`];
  return found
    .filter((resource) => !holdsFor(pin, resource))
    .map((resource) => `${pin.path}: ${JSON.stringify(valueAt(resource, pin.path ?? ''))}`);
};

const changed = (value: unknown): unknown => {
  if (value === undefined) return 'something';
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return `${value}-changed`;
  return Array.isArray(value) ? [...(value as unknown[]), 'more'] : { ...(value as object), more: 'more' };
};

const withValue = (resource: TemplateResource, path: string, value: unknown): TemplateResource => {
  const copy = structuredClone(resource) as unknown as Record<string, unknown>;
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let parent = copy;
  for (const key of keys) {
    parent[key] ??= {};
    parent = parent[key] as Record<string, unknown>;
  }
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy as unknown as TemplateResource;
};

/** Templates that break a pin, each in another way; what looks at it must turn red for all of them. */
export const breaches = (
  pin: Pin,
  resources: readonly TemplateResource[],
): readonly (readonly [string, readonly TemplateResource[]])[] => {
  const found = lookedAt(pin, resources);
  const [victim] = found;
  const { path } = pin;
  if (!victim) return [['one of its kind', [...resources, { Type: pin.type, Properties: {} }]]];
  const others = resources.filter((resource) => resource !== victim);
  if (path === undefined) return [['one missing', others]];
  const value = valueAt(victim, path);
  const breach = (name: string, to: unknown) => [name, [...others, withValue(victim, path, to)]] as const;
  return [
    ['all missing', resources.filter((resource) => !found.includes(resource))] as const,
    breach('another value', changed(value)),
    ...(value === undefined ? [] : [breach('no value', undefined)]),
  ];
};
