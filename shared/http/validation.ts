import type { Violation } from '../errors.ts';
import type { ArraySchema, ObjectSchema, ScalarSchema, Schema } from './schema.ts';

/** Checks a value against one schema. The build compiles it from the schema (ajv standalone). */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly Complaint[] | null;
}

/** The part of an ajv error that a violation is made from. */
export interface Complaint {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What a schema allows, to follow "must be" in a sentence. */
export const allowedBy = (shape: Schema): string => {
  if (shape.allowed !== undefined) return shape.allowed;
  if ('oneOf' in shape) return shape.oneOf.map(allowedBy).join(' or ');
  if ('items' in shape) {
    const items = `an array of ${range(shape.minItems ?? 0, shape.maxItems, 'item')}`;
    return isNullable(shape) ? `${items}, or null` : items;
  }
  if ('additionalProperties' in shape) return 'an object';
  return isNullable(shape) ? `${allowedScalar(shape)}, or null` : allowedScalar(shape);
};

const isNullable = (shape: Pick<ScalarSchema | ArraySchema, 'type'>): boolean => typeof shape.type !== 'string';

const allowedScalar = (shape: ScalarSchema): string => {
  const values = shape.enum?.filter((value) => value !== null);
  if (values) return values.length > 1 ? `one of ${series(values, 'or')}` : `${values[0]}`;
  const type = typeof shape.type === 'string' ? shape.type : shape.type[0];
  if (type === 'boolean') return 'true or false';
  if (type === 'integer') return `a whole number ${bounds(shape.minimum, shape.maximum)}`.trimEnd();
  if (shape.format === 'uuid') return 'a UUID';
  const hasBounds = shape.minLength !== undefined || shape.maxLength !== undefined;
  return hasBounds ? `a string of ${range(shape.minLength ?? 0, shape.maxLength, 'character')}` : 'a string';
};

const series = (values: readonly unknown[], conjunction: string): string =>
  values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} ${conjunction} ${String(values.at(-1))}`;

const range = (min: number, max: number | undefined, noun: string): string => {
  if (max === undefined) return min > 0 ? `at least ${min} ${noun}${min === 1 ? '' : 's'}` : `${noun}s`;
  return min > 0 ? `${min} to ${max} ${noun}s` : `at most ${max} ${noun}s`;
};

const bounds = (min: number | undefined, max: number | undefined): string => {
  if (min !== undefined && max !== undefined) return `from ${min} to ${max}`;
  return min === undefined ? '' : `of at least ${min}`;
};

const segments = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));

const pointerTo = (parent: string, field: string): string =>
  `${parent}/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** A pointer in the notation of people: `/repositories/3/name` is `repositories[3].name`. */
export const fieldName = (pointer: string): string =>
  segments(pointer)
    .map((segment) => segment.slice(0, 100))
    .reduce((path, segment) => (/^\d+$/.test(segment) ? `${path}[${segment}]` : `${path}${path && '.'}${segment}`), '');

const schemaAt = (shape: Schema, pointer: string): Schema =>
  segments(pointer).reduce((at: Schema, segment) => {
    if ('items' in at) return at.items;
    return ('properties' in at && at.properties[segment]) || at;
  }, shape);

/** `listed` collects the schemas whose fields a sentence has listed, so that they are listed once. */
const violationOf = (complaint: Complaint, shape: ObjectSchema, listed: Set<Schema>): Violation => {
  const { instancePath, keyword, params } = complaint;
  const at = schemaAt(shape, instancePath);
  if (keyword === 'required') {
    const pointer = pointerTo(instancePath, String(params.missingProperty));
    const message = `${fieldName(pointer)} is required: it must be ${allowedBy(schemaAt(shape, pointer))}.`;
    return { pointer, rule: 'required', message };
  }
  if (keyword === 'additionalProperties') {
    const pointer = pointerTo(instancePath, String(params.additionalProperty));
    const known = 'properties' in at && !listed.has(at) ? Object.keys(at.properties) : [];
    listed.add(at);
    const fields = known.length > 0 ? ` The fields are ${series(known, 'and')}.` : '';
    return {
      pointer,
      rule: 'unknown',
      message: `${fieldName(pointer)} is not a field of this request.${fields}`,
    };
  }
  const field = instancePath === '' ? 'The request body' : fieldName(instancePath);
  return {
    pointer: instancePath,
    rule: keyword,
    message: `${field} must be ${allowedBy(at)}.`,
  };
};

/** All rules of the schema that a value breaks, as one sentence for each field. */
export const violationsOf = (validate: Validator, shape: ObjectSchema, value: unknown): Violation[] => {
  if (validate(value)) return [];
  const byPointer = new Map<string, Violation>();
  const listed = new Set<Schema>();
  for (const complaint of validate.errors ?? []) {
    const violation = violationOf(complaint, shape, listed);
    if (!byPointer.has(violation.pointer)) byPointer.set(violation.pointer, violation);
  }
  return [...byPointer.values()];
};
