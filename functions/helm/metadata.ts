import type { Violation } from '../../shared/errors.ts';
import { broken, requireValidFormat } from '../../shared/packages/formats/format-problem.ts';
import { isObject, type JsonObject } from '../../shared/packages/formats/json-objects.ts';

/** The types that helm expects of the fields that it knows. It refuses a whole index if one field has another type. */
type Shape = 'text' | 'flag' | 'time' | 'list' | readonly [Shape | Fields] | { readonly each: Shape };
interface Fields {
  readonly [field: string]: Shape;
}

const texts = (...names: readonly string[]): Fields => Object.fromEntries(names.map((name) => [name, 'text']));

/** The fields of Chart.yaml (helm, pkg/chart/metadata.go and dependency.go), in lower case. */
const chartFields: Fields = {
  ...texts('name', 'home', 'version', 'description', 'icon', 'apiversion', 'condition', 'tags'),
  ...texts('appversion', 'kubeversion', 'type'),
  deprecated: 'flag',
  sources: ['text'],
  keywords: ['text'],
  maintainers: [texts('name', 'email', 'url')],
  annotations: { each: 'text' },
  dependencies: [
    {
      ...texts('name', 'version', 'repository', 'condition', 'alias'),
      tags: ['text'],
      enabled: 'flag',
      'import-values': 'list',
    },
  ],
};

/** The fields that an index adds (helm, pkg/repo/index.go), in lower case. */
const indexFields: Fields = {
  ...texts('digest', 'checksum', 'engine', 'tillerversion', 'url'),
  urls: ['text'],
  created: 'time',
  removed: 'flag',
};

/** RFC 3339, which is the only form that helm reads. */
const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text) &&
  !Number.isNaN(Date.parse(text.replace(/(\.\d{3})\d+/, '$1')));

const words: Readonly<Record<string, string>> = {
  text: 'a text',
  flag: 'true or false',
  time: 'a time as in RFC 3339',
  list: 'a list',
};

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** Reads values as helm does, and collects the rules that they break. */
class Reader {
  readonly violations: Violation[] = [];

  /** The members of an object. helm compares the names of fields without regard to case, and ignores unknown ones. */
  fields(object: JsonObject, fields: Fields, keys: readonly string[]): JsonObject {
    return Object.fromEntries(
      Object.entries(object).map(([key, value]) => {
        const lower = key.toLowerCase();
        const shape = Object.hasOwn(fields, lower) ? fields[lower] : undefined;
        return [key, shape === undefined ? value : this.value(value, shape, [...keys, key])];
      }),
    );
  }

  private value(value: unknown, shape: Shape | Fields, keys: readonly string[]): unknown {
    if (value === null) return null;
    // YAML reads 1.10 as a number; helm turns it into a text where it expects one.
    if (shape === 'text' && isScalar(value)) return String(value);
    if (shape === 'flag' && typeof value === 'boolean') return value;
    if (shape === 'time' && typeof value === 'string' && isTime(value)) return value;
    if (shape === 'list' && Array.isArray(value)) return value;
    if (typeof shape === 'string') return this.break(keys, words[shape] ?? shape);
    if (Array.isArray(shape)) return this.items(value, shape[0] as Shape | Fields, keys);
    if (!isObject(value)) return this.break(keys, 'an object');
    const { each } = shape as { readonly each?: Shape };
    if (each === undefined) return this.fields(value, shape as Fields, keys);
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, this.value(member, each, [...keys, key])]),
    );
  }

  private items(value: unknown, shape: Shape | Fields, keys: readonly string[]): unknown {
    if (!Array.isArray(value)) return this.break(keys, 'a list');
    return value.map((item: unknown, index) =>
      // helm refuses a chart with an empty entry in a list of objects.
      item === null && typeof shape !== 'string'
        ? this.break([...keys, String(index)], 'an object')
        : this.value(item, shape, [...keys, String(index)]),
    );
  }

  private break(keys: readonly string[], expected: string): undefined {
    this.violations.push(broken(keys, 'type', `${keys.join('/')} must be ${expected}.`));
    return undefined;
  }
}

/** The metadata of a version: the fields of its Chart.yaml, unknown ones too. */
export type Metadata = JsonObject & { readonly name: string; readonly version: string };

const read = (value: unknown, fields: Fields, label: string): Metadata => {
  const reader = new Reader();
  const object = isObject(value) ? reader.fields(value, fields, []) : {};
  const { name, version } = object;
  const violations = [...reader.violations];
  if (!isObject(value)) violations.push(broken([], 'type', `${label} must be a mapping.`));
  else
    for (const field of ['name', 'version'])
      if (typeof object[field] !== 'string' || object[field] === '')
        violations.push(broken([field], 'required', `${label} must have a ${field}.`));
  requireValidFormat(violations);
  return { ...object, name: String(name), version: String(version) };
};

/** Reads a parsed Chart.yaml, or where else its fields stand. Throws the problem if helm could not read it. */
export const readMetadata = (value: unknown, label = 'Chart.yaml'): Metadata => read(value, chartFields, label);

/** Reads a parsed entry of an index. Throws the problem if helm could not read it, or would refuse the index because of it. */
export const readEntry = (value: unknown): Metadata => read(value, { ...chartFields, ...indexFields }, 'An entry');

/** The metadata without the fields that only the index of a repository sets. */
export const withoutIndexFields = (metadata: Metadata): Metadata => {
  const kept = Object.entries(metadata).filter(([key]) => !Object.hasOwn(indexFields, key.toLowerCase()));
  return { ...Object.fromEntries(kept), name: metadata.name, version: metadata.version };
};
