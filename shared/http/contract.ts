import type { Access } from '../access.ts';
import type { ErrorCode } from '../errors.ts';
import type { List } from './paging.ts';
import type { Infer, ObjectSchema, Schema } from './schema.ts';

/** Checks a value against one schema; compiled from it at build (ajv standalone). */
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

type Segments<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | Segments<Rest> : never;

/** The parameters of a path, by name. */
export type PathParams<P extends string> = {
  readonly [K in Segments<P>]: string;
};

/**
 * The wire of one endpoint, as pure data. Everything that is not its use case comes from here: the route, the
 * Lambda, its rights on the table, validation, access, the OpenAPI document and the tests that walk all endpoints.
 */
export interface Contract {
  /** `<resource>/<verb-noun>`: the file, the Lambda, the operationId, the metric and the test. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  /** How a caller who lacks the role is refused; FORBIDDEN when absent. */
  readonly refusal?: ErrorCode;
  readonly query?: ObjectSchema;
  readonly body?: ObjectSchema;
  /** A body for the documents, where one made from the examples of its fields would not be sent by anybody. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Two statuses where a call either creates (201) or changes (200); the use case then says which. */
  readonly success: 200 | 201 | readonly [200, 201];
  readonly result: Schema;
  /** The result is a file in place of JSON: the use case answers with its bytes, compressed by gzip. */
  readonly file?: FileResult;
  /** The result is an array that can be asked for in pages. */
  readonly paged?: true;
  /** Where what was created can be found: the path under the base, its parameters taken from the result. */
  readonly location?: string;
  /** The codes that the use case and the path may answer, beside those that every endpoint shares. */
  readonly errors: readonly ErrorCode[];
  /** What the function may do with the table, beside the consistent read that every non-public endpoint makes. */
  readonly table: readonly TableAction[];
  /** Set where the function encrypts with the key of the upstream passwords. */
  readonly encrypts?: true;
  /** Compiled at build; absent in the source. */
  readonly validateBody?: Validator;
  readonly validateQuery?: Validator;
}

/** What a file is sent as. */
export interface FileResult {
  /** What the build calls it. */
  readonly name: 'openapi.json' | 'reference.html' | 'reference.js';
  readonly mediaType: string;
  /** Headers that a file needs beside, or in place of, those of every response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How the file begins. */
  readonly example: unknown;
}

/** The DynamoDB actions that a use case may need; `infra` grants exactly these. */
export type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem';

/** Declares an endpoint; the types of its parameters, body and result follow from the literal. */
export const contract = <const C extends Contract>(definition: C): C => definition;

type Inferred<S> = S extends Schema ? Infer<S> : undefined;

export type BodyOf<C extends Contract> = Inferred<C['body']>;
export type QueryOf<C extends Contract> = C['query'] extends ObjectSchema ? Infer<C['query']> : undefined;
export type ResultOf<C extends Contract> = C extends { readonly file: FileResult }
  ? Uint8Array
  : C extends { readonly paged: true; readonly result: { readonly items: infer I } }
    ? List<Infer<I>>
    : Infer<C['result']>;
