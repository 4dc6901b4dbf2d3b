import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError, type Violation } from '../../errors.ts';
import { jsonBytesMax } from '../../limits.ts';
import type { RequestReader } from '../built-contract.ts';
import type { RequestKind } from '../contract.ts';
import type { Documenter, Json } from '../documenter.ts';
import { askHeader } from '../door-headers.ts';
import { bytesOf, headerOf, isPlain, type LooseRule, type ReadBody, readInput } from '../input.ts';
import { parseJsonObject } from '../json.ts';
import type { ObjectSchema } from '../schema.ts';
import { violationsOf } from '../validation.ts';

/**
 * Reads a JSON object. If the contract takes no body, it only refuses a body that is too large or of the wrong media
 * type.
 */
export const read: RequestReader = (contract, event, rules) =>
  readInput(contract, event, (): ReadBody => {
    const bytes = bytesOf(event);
    // The door asks about bodies that are too large for a request.
    if (bytes.length > jsonBytesMax || headerOf(event, askHeader) !== undefined) throw new ApiError('BODY_TOO_LARGE');
    const { request, validateBody } = contract;
    if (bytes.length > 0) checkMediaType(event, request?.kind === 'json' && request.isAlsoForm === true);
    if (request?.kind !== 'json' || !validateBody) return { body: undefined };
    if (bytes.length === 0) throw new ApiError('BODY_MALFORMED', 'A request body is required: one JSON object.');
    const body = request.isAlsoForm && isForm(event) ? parseParameters(bytes) : parseJsonObject(bytes);
    const violations = violationsOf(validateBody, request.body, body).map(naming(request.immutable));
    return checked(request.body, body, violations, rules);
  });

const isOfType = (event: APIGatewayProxyEvent, type: RegExp): boolean =>
  type.test(headerOf(event, 'content-type')?.trim() ?? '');

const isForm = (event: APIGatewayProxyEvent): boolean =>
  isOfType(event, /^application\/x-www-form-urlencoded\s*(;|$)/i);

const checkMediaType = (event: APIGatewayProxyEvent, isAlsoForm: boolean): void => {
  const isKnown = isOfType(event, /^application\/json\s*(;|$)/i) || (isAlsoForm && isForm(event));
  if (!isKnown || !isPlain(event)) throw new ApiError('MEDIA_TYPE_UNSUPPORTED');
};

/** The parameters of a form, each a text that is there once. */
const parseParameters = (bytes: Uint8Array): Record<string, string> => {
  const entries = [...new URLSearchParams(Buffer.from(bytes).toString())];
  if (new Set(entries.map(([name]) => name)).size < entries.length)
    throw new ApiError('BODY_MALFORMED', 'The request body must have each parameter once.');
  return Object.fromEntries(entries);
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
export const describe = (request: Extract<RequestKind, { kind: 'json' }>, words: Documenter): Json => ({
  required: true,
  content: {
    'application/json': {
      schema: words.schema(request.body),
      examples: { example: { value: request.example ?? words.example(request.body) } },
    },
    ...(request.isAlsoForm && { 'application/x-www-form-urlencoded': { schema: words.schema(request.body) } }),
  },
});
