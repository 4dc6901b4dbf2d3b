import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError, invalid, type Violation } from '../errors.ts';
import type { ObjectSchema } from './schema.ts';
import { type Validator, violationsOf } from './validation.ts';

/**
 * The content of a request. A refusal is kept and not thrown, so that callers without access learn nothing about the
 * rules.
 */
export interface Input {
  readonly query: Record<string, unknown>;
  readonly body: unknown;
  /** The valid fields of a JSON body. */
  readonly validFields: Record<string, unknown>;
  readonly refusal: ApiError | undefined;
}

/** A rule over the valid fields of a body. */
export type LooseRule = (body: Record<string, unknown>) => readonly Violation[];

/** A body, and the rules that it breaks. */
export interface ReadBody {
  readonly body: unknown;
  readonly validFields?: Record<string, unknown>;
  readonly violations?: readonly Violation[];
}

/** The headers of an event by their names in lower case: a request asks for a dozen of them. */
const knownHeaders = new WeakMap<object, ReadonlyMap<string, string | undefined>>();

const headersOf = (headers: APIGatewayProxyEvent['headers']): ReadonlyMap<string, string | undefined> => {
  const known = knownHeaders.get(headers);
  if (known) return known;
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  knownHeaders.set(headers, byName);
  return byName;
};

const noHeaders = {};

/** A header of a request, by its name in lower case. */
export const headerOf = (event: APIGatewayProxyEvent, name: string): string | undefined =>
  headersOf(event.headers ?? noHeaders).get(name);

interface HeadersEvent {
  readonly multiValueHeaders: Readonly<Record<string, readonly string[] | undefined>> | null;
}

/** All values of a header of a request, by its name in lower case. */
export const headerValuesOf = ({ multiValueHeaders }: HeadersEvent, wanted: string): string[] =>
  Object.entries(multiValueHeaders ?? {})
    .filter(([name]) => name.toLowerCase() === wanted)
    .flatMap(([, values]) => values ?? []);

/** The values of the Authorization headers of a request. */
export const authorizationHeaders = (event: HeadersEvent): string[] => headerValuesOf(event, 'authorization');

/** The bytes of a request. */
export const bytesOf = (event: APIGatewayProxyEvent): Buffer =>
  Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');

/** The media type of a body, in lower case and without its parameters; '' if it has none. */
export const mediaTypeOf = (event: APIGatewayProxyEvent): string =>
  headerOf(event, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';

/** Refuses a compressed body: what is published would be its compressed bytes. */
export const requirePlain = (event: APIGatewayProxyEvent): void => {
  if ((headerOf(event, 'content-encoding') ?? 'identity').toLowerCase() !== 'identity')
    throw new ApiError('MEDIA_TYPE_UNSUPPORTED', 'Send the body uncompressed, without Content-Encoding.');
};

/** The part of a built contract that reads the query. */
interface QueryContract {
  readonly query?: ObjectSchema;
  readonly validateQuery?: Validator;
  readonly ignoresOtherQuery?: true;
}

/** Reads the query and the body by the contract, and collects all violations. */
export const readInput = (contract: QueryContract, event: APIGatewayProxyEvent, readBody: () => ReadBody): Input => {
  const query = readQuery(contract, event);
  try {
    const { body, validFields = {}, violations = [] } = readBody();
    const all = [...query.violations, ...violations];
    return { query: query.value, body, validFields, refusal: all.length > 0 ? invalid(all) : undefined };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { query: query.value, body: undefined, validFields: {}, refusal: error };
  }
};

const nothing: ObjectSchema = { type: 'object', properties: {}, required: [], additionalProperties: false };

/** Reads the query string by the schema of the contract. Parameters are text, so texts of whole numbers become numbers. */
const readQuery = (contract: QueryContract, event: APIGatewayProxyEvent) => {
  const shape = contract.query ?? nothing;
  const value: Record<string, unknown> = {};
  const violations: Violation[] = [];
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    const field = Object.hasOwn(shape.properties, name) ? shape.properties[name] : undefined;
    if (!field && contract.ignoresOtherQuery) continue;
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
      violations.push(queryViolation(rule, `The query parameter ${message}`));
  return { value, violations };
};

/** The pointer is empty, because pointers lead into the body. */
const queryViolation = (rule: string, message: string): Violation => ({ pointer: '', rule, message });

const wholeNumber = (text: string | undefined): number | string | undefined =>
  text !== undefined && /^(?:0|[1-9]\d{0,8})$/.test(text) ? Number(text) : text;
