import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError, invalid, type Violation } from '../errors.ts';
import type { Contract } from './contract.ts';
import { parseJsonObject } from './json.ts';
import type { ObjectSchema } from './schema.ts';
import { violationsOf } from './validation.ts';

/** A body may have so many bytes. */
const bodyBytesMax = 64 * 1024;

/** What a request brought. A refusal is kept, not thrown: who may not call learns nothing of the rules. */
export interface Input {
  readonly query: Record<string, unknown>;
  readonly body: Record<string, unknown> | undefined;
  /** The fields of the body that obey their schema. */
  readonly sound: Record<string, unknown>;
  readonly refusal: ApiError | undefined;
}

interface Read {
  readonly value: Record<string, unknown>;
  readonly violations: readonly Violation[];
}

/** A rule over the fields of a body that obey its schema. */
export type LooseRule = (body: Record<string, unknown>) => readonly Violation[];

/** A header of a request, by its name in lower case. */
export const headerOf = (event: APIGatewayProxyEvent, name: string): string | undefined =>
  Object.entries(event.headers ?? {}).find(([header]) => header.toLowerCase() === name)?.[1];

/** Reads query and body by the contract and its rules, with all violations at once. */
export const readInput = (contract: Contract, event: APIGatewayProxyEvent, rules: readonly LooseRule[] = []): Input => {
  const query = readQuery(contract, event);
  try {
    const body = readBody(contract, event);
    const sound = body && contract.body ? validFields(contract.body, body) : {};
    const violations = [
      ...query.violations,
      ...(body?.violations ?? []),
      ...(body ? rules.flatMap((rule) => rule(sound)) : []),
    ];
    const refusal = violations.length > 0 ? invalid(violations) : undefined;
    return { query: query.value, body: body?.value, sound, refusal };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { query: query.value, body: undefined, sound: {}, refusal: error };
  }
};

const readBody = (contract: Contract, event: APIGatewayProxyEvent): Read | undefined => {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > bodyBytesMax) throw new ApiError('BODY_TOO_LARGE');
  if (bytes.length > 0) checkMediaType(event);
  if (!contract.body || !contract.validateBody) return undefined;
  if (bytes.length === 0) throw new ApiError('BODY_MALFORMED', 'A request body is required: one JSON object.');
  const value = parseJsonObject(bytes);
  return { value, violations: violationsOf(contract.validateBody, contract.body, value) };
};

const checkMediaType = (event: APIGatewayProxyEvent): void => {
  const isJson = /^application\/json\s*(;|$)/i.test(headerOf(event, 'content-type')?.trim() ?? '');
  const isPlain = (headerOf(event, 'content-encoding') ?? 'identity').toLowerCase() === 'identity';
  if (!isJson || !isPlain) throw new ApiError('MEDIA_TYPE_UNSUPPORTED');
};

/** The fields of the body that no violation points into. */
const validFields = (shape: ObjectSchema, { value, violations }: Read): Record<string, unknown> => {
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
const readQuery = (contract: Contract, event: APIGatewayProxyEvent): Read => {
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
