import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError, type Violation } from '../../errors.ts';
import type { RequestReader } from '../built-contract.ts';
import type { RequestKind } from '../contract.ts';
import type { Documenter, Json } from '../documenter.ts';
import { type LooseRule, type ReadBody, readInput } from '../input.ts';
import { parseJsonObject } from '../json.ts';
import type { ObjectSchema } from '../schema.ts';
import { smallBodyOf } from '../small-body.ts';
import { violationsOf } from '../validation.ts';

/** The media type of the parameters of a form. */
export const formType = 'application/x-www-form-urlencoded';

/** Makes a reader of bodies of these media types that are objects. */
export const readerOf =
  (
    mediaTypes: readonly string[],
    parse: (event: APIGatewayProxyEvent, bytes: Uint8Array, shape: ObjectSchema) => Record<string, unknown>,
  ): RequestReader =>
  (contract, event, rules) =>
    readInput(contract, event, (): ReadBody => {
      const { method, request, validateBody } = contract;
      if (request?.kind !== 'json' || !validateBody) return { body: undefined };
      const bytes = smallBodyOf(event, mediaTypes);
      const body = bytes.length === 0 ? bodyInPlaceOfNone(method, request.body) : parse(event, bytes, request.body);
      const violations = violationsOf(validateBody, request.body, body).map(naming(request.immutable));
      return checked(request.body, body, violations, rules);
    });

/** Reads a JSON object. */
export const read = readerOf(['application/json'], (_, bytes) => parseJsonObject(bytes));

/** Whether a body must be sent. A POST of which no field is required has none to send; a PATCH without one would change nothing. */
const isRequired = (method: string, { required }: ObjectSchema): boolean => method !== 'POST' || required.length > 0;

const bodyInPlaceOfNone = (method: string, shape: ObjectSchema): Record<string, unknown> => {
  if (!isRequired(method, shape)) return {};
  throw new ApiError('BODY_MALFORMED', 'A request body is required: one JSON object.');
};

/** Gives the violation of an immutable field a sentence of its own, because the field is not unknown. */
const naming =
  (immutable: readonly string[] = []) =>
  (violation: Violation): Violation => {
    const field = violation.pointer.slice(1);
    if (!immutable.includes(field)) return violation;
    return { pointer: violation.pointer, rule: 'immutable', message: `${field} never changes: leave it out.` };
  };

const checked = (
  shape: ObjectSchema,
  body: Record<string, unknown>,
  violations: readonly Violation[],
  rules: readonly LooseRule[],
): ReadBody => {
  const broken = new Set(violations.map(({ pointer }) => pointer.split('/')[1]));
  const validFields = Object.fromEntries(
    Object.entries(body).filter(([name]) => name in shape.properties && !broken.has(name)),
  );
  return { body, validFields, violations: [...violations, ...rules.flatMap((rule) => rule(validFields))] };
};

/** The request body in the OpenAPI document. */
export const describe = (request: Extract<RequestKind, { kind: 'json' }>, method: string, words: Documenter): Json => ({
  required: isRequired(method, request.body),
  content: {
    'application/json': {
      schema: words.schema(request.body),
      examples: { example: { value: request.example ?? words.example(request.body) } },
    },
    ...(request.isAlsoForm && { [formType]: { schema: words.schema(request.body) } }),
  },
});
