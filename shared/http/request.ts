import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError, type Violation } from '../errors.ts';
import type { Contract } from './contract.ts';
import { parseJsonObject } from './json.ts';
import type { ObjectSchema } from './schema.ts';
import { violationsOf } from './validation.ts';

/** A body may have so many bytes. */
export const bodyBytesMax = 64 * 1024;

interface Read {
  readonly value: Record<string, unknown> | undefined;
  readonly violations: readonly Violation[];
}

/** A rule over the fields of a body that obey its schema. */
export type LooseRule = (body: Record<string, unknown>) => readonly Violation[];

const headerOf = (event: APIGatewayProxyEvent, name: string): string | undefined =>
  Object.entries(event.headers ?? {}).find(([header]) => header.toLowerCase() === name)?.[1];

/** Reads the body that a contract asks for, and lists every rule that it breaks. */
export const readBody = (contract: Contract, event: APIGatewayProxyEvent, rules: readonly LooseRule[]): Read => {
  if (!contract.body || !contract.validateBody) return { value: undefined, violations: [] };
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > bodyBytesMax) throw new ApiError('BODY_TOO_LARGE');
  if (bytes.length === 0) throw new ApiError('BODY_MALFORMED', 'A request body is required: one JSON object.');
  checkMediaType(event);
  const value = parseJsonObject(bytes);
  const violations = violationsOf(contract.validateBody, contract.body, value);
  const sound = soundFields(contract.body, value, violations);
  return {
    value,
    violations: [...violations, ...rules.flatMap((rule) => rule(sound))],
  };
};

const checkMediaType = (event: APIGatewayProxyEvent): void => {
  const isJson = /^application\/json\s*(;|$)/i.test(headerOf(event, 'content-type')?.trim() ?? '');
  const isPlain = (headerOf(event, 'content-encoding') ?? 'identity').toLowerCase() === 'identity';
  if (!isJson || !isPlain) throw new ApiError('MEDIA_TYPE_UNSUPPORTED');
};

/** The fields of the body that no violation points into. */
const soundFields = (shape: ObjectSchema, value: Record<string, unknown>, violations: readonly Violation[]) => {
  const broken = new Set(violations.map((violation) => violation.pointer.split('/')[1]));
  return Object.fromEntries(Object.entries(value).filter(([name]) => name in shape.properties && !broken.has(name)));
};

const nothing: ObjectSchema = {
  type: 'object',
  properties: {},
  required: [],
  additionalProperties: false,
};

/** Reads the query string by the schema of the contract. Parameters arrive as text: whole numbers are read as such. */
export const readQuery = (contract: Contract, event: APIGatewayProxyEvent): Read => {
  const shape = contract.query ?? nothing;
  const value: Record<string, unknown> = {};
  const violations: Violation[] = [];
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    const field = Object.hasOwn(shape.properties, name) ? shape.properties[name] : undefined;
    if (!field)
      violations.push(
        queryViolation('unknown', `The query parameter '${name.slice(0, 100)}' is not known here. Remove it.`),
      );
    else if (values?.length !== 1)
      violations.push(queryViolation('once', `The query parameter '${name}' must be given once.`));
    else value[name] = 'type' in field && field.type === 'integer' ? wholeNumber(values[0]) : values[0];
  }
  if (contract.validateQuery)
    for (const { rule, message } of violationsOf(contract.validateQuery, shape, value))
      violations.push({
        pointer: '',
        rule,
        message: `The query parameter ${message}`,
      });
  return { value, violations };
};

/** Pointers reach into the body only. */
const queryViolation = (rule: string, message: string): Violation => ({
  pointer: '',
  rule,
  message,
});

const wholeNumber = (text: string | undefined): number | string | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : text;
