import { type ErrorCode, errors } from '../errors.ts';
import { bodySchemaOf, type Contract } from '../http/contract.ts';
import { problem } from '../http/problem.ts';
import type { ObjectSchema, Schema } from '../http/schema.ts';
import { allowedBy } from '../http/validation.ts';

const requestId = '5f0c2f5e-8a0e-4c43-9d0e-3f4c1b2a7d61';

/** A value that a schema accepts, made from the examples that its fields give. `at` says where it is, if one gives none. */
export const exampleOf = (shape: Schema, at: string): unknown => {
  if (shape.examples) return shape.examples[0];
  if ('oneOf' in shape) return exampleOf(shape.oneOf[0] as Schema, at);
  if ('properties' in shape) return exampleOfFields(shape, at);
  if ('items' in shape) {
    const shapes = 'oneOf' in shape.items ? shape.items.oneOf : [shape.items];
    return shapes.map((item) => exampleOf(item, `${at}/0`));
  }
  if ('enum' in shape && shape.enum) return shape.enum[0];
  throw new Error(`${at} must be ${allowedBy(shape)} and has no example: add one to its schema.`);
};

const exampleOfFields = ({ properties }: ObjectSchema, at: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleOf(field, `${at}/${name}`)]));

/** A problem body as the service sends it. */
export const problemExampleOf = (code: ErrorCode, contract?: Contract): unknown => {
  const violations = code === 'REQUEST_INVALID' ? [violationExampleOf(contract)] : [];
  return problem(code, requestId, violations[0]?.message ?? errors[code].detail, violations);
};

const violationExampleOf = (contract: Contract | undefined) => {
  const [name, field] = Object.entries((contract && bodySchemaOf(contract))?.properties ?? {})[0] ?? [];
  if (name === undefined || field === undefined)
    return { pointer: '', rule: 'unknown', message: "The query parameter 'verbose' is not known here. Remove it." };
  return { pointer: `/${name}`, rule: 'type', message: `${name} must be ${allowedBy(field)}.` };
};
