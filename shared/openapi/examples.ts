import { type ErrorCode, errors } from '../errors.ts';
import type { Contract } from '../http/contract.ts';
import { problem } from '../http/problem.ts';
import type { ObjectSchema, Schema } from '../http/schema.ts';
import { allowedBy } from '../http/validation.ts';

const requestId = '5f0c2f5e-8a0e-4c43-9d0e-3f4c1b2a7d61';

/** A value that a schema accepts, made from the examples that its fields give. */
export const exampleOf = (shape: Schema): unknown => {
  if (shape.examples) return shape.examples[0];
  if ('oneOf' in shape) return exampleOf(shape.oneOf[0] as Schema);
  if ('properties' in shape) return mapFields(shape, exampleOf);
  if (shape.type === 'array')
    return 'oneOf' in shape.items ? shape.items.oneOf.map(exampleOf) : [exampleOf(shape.items)];
  if (shape.enum) return shape.enum[0];
  throw new Error(`A field that must be ${allowedBy(shape)} has no example: add one to its schema.`);
};

const mapFields = (shape: ObjectSchema, value: (field: Schema) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(shape.properties).map(([name, field]) => [name, value(field)]));

/** The body of the example request: the contract's own, or one with all fields. */
export const bodyExampleOf = ({ body, example }: Contract): unknown => example ?? (body && exampleOf(body));

const withoutOptionalFields = (shape: Schema): Schema => {
  if (!('properties' in shape)) return shape;
  const required = Object.entries(shape.properties).filter(([name]) => shape.required.includes(name));
  return { ...shape, properties: Object.fromEntries(required) };
};

/** The answer to the example request: it repeats what was sent, and has only the fields that every answer has. */
export const resultExamplesOf = (contract: Contract): Record<string, { value: unknown }> => {
  const { result } = contract;
  if (!('oneOf' in result)) return { example: { value: echoing(contract, exampleOf(withoutOptionalFields(result))) } };
  return Object.fromEntries(
    result.oneOf.map((shape) => {
      const kind = shape.properties.repositoryType;
      const name = kind ? String(exampleOf(kind)) : (shape.title ?? 'example');
      return [name, { value: exampleOf(shape) }];
    }),
  );
};

const echoing = (contract: Contract, result: unknown): unknown => {
  const sent = bodyExampleOf(contract);
  if (typeof result !== 'object' || result === null || Array.isArray(result) || typeof sent !== 'object') return result;
  const echoed = Object.entries(sent ?? {}).filter(([name, value]) => name in result && !Array.isArray(value));
  return { ...result, ...Object.fromEntries(echoed) };
};

/** A problem body as the service sends it. */
export const problemExampleOf = (code: ErrorCode, contract?: Contract): unknown => {
  const violations = code === 'REQUEST_INVALID' ? [violationExampleOf(contract)] : [];
  return problem(code, requestId, violations[0]?.message ?? errors[code].detail, violations);
};

const violationExampleOf = (contract: Contract | undefined) => {
  const [name, field] = Object.entries(contract?.body?.properties ?? {})[0] ?? [];
  if (name === undefined || field === undefined)
    return { pointer: '', rule: 'unknown', message: "The query parameter 'verbose' is not known here. Remove it." };
  return { pointer: `/${name}`, rule: 'type', message: `${name} must be ${allowedBy(field)}.` };
};
