/**
 * The subset of JSON Schema (draft 2020-12) in which contracts are written. From one schema come the TypeScript type
 * (`Infer`), the validator (compiled at build), the schema in the OpenAPI document and the sentence of a violation.
 */
export type Schema = ScalarSchema | ArraySchema | ObjectSchema | FreeObjectSchema | UnionSchema;

interface Documented {
  /** The name of the schema in the OpenAPI document. */
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  /** What is allowed, to follow "must be" in the sentence of a violation. By default, it is derived from the schema. */
  readonly allowed?: string;
}

type ScalarName = 'string' | 'integer' | 'boolean';

export interface ScalarSchema extends Documented {
  readonly type: ScalarName | readonly [ScalarName, 'null'];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly format?: 'uuid' | 'date-time' | 'password';
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly writeOnly?: boolean;
}

export interface ArraySchema extends Documented {
  readonly type: 'array' | readonly ['array', 'null'];
  readonly items: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface ObjectSchema extends Documented {
  readonly type: 'object' | readonly ['object', 'null'];
  readonly properties: { readonly [name: string]: Schema };
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

/** An object whose fields somebody else decides, such as the claims of a token, or that differ, such as those of a change. */
interface FreeObjectSchema extends Documented {
  readonly type: 'object' | readonly ['object', 'null'];
  readonly additionalProperties: true;
  /** For what a client sends. */
  readonly maxProperties?: number;
}

/** For results only. A request body is always one object, so that each violation has one sentence. */
interface UnionSchema extends Documented {
  readonly oneOf: readonly ObjectSchema[];
}

type Scalars = { string: string; integer: number; boolean: boolean };
type OrNull<T> = T extends readonly [unknown, 'null'] ? null : never;
type Flat<T> = { [K in keyof T]: T[K] };

type InferObject<P, R extends string> = Flat<
  { [K in keyof P as K extends R ? K : never]: Infer<P[K]> } & {
    [K in keyof P as K extends R ? never : K]?: Infer<P[K]> | undefined;
  }
>;

/** The TypeScript type of the values that a schema accepts. */
export type Infer<S> = S extends { readonly oneOf: readonly (infer M)[] }
  ? Infer<M>
  : S extends { readonly enum: readonly (infer V)[] }
    ? V
    : S extends { readonly type: infer T; readonly items: infer I }
      ? Infer<I>[] | OrNull<T>
      : S extends {
            readonly type: infer T;
            readonly properties: infer P;
            readonly required: readonly (infer R extends string)[];
          }
        ? InferObject<P, R> | OrNull<T>
        : S extends { readonly additionalProperties: true }
          ? Readonly<Record<string, unknown>> | (S extends { readonly type: infer T } ? OrNull<T> : never)
          : S extends { readonly type: infer T }
            ?
                | (T extends keyof Scalars
                    ? Scalars[T]
                    : T extends readonly [keyof Scalars, 'null']
                      ? Scalars[T[0]]
                      : never)
                | OrNull<T>
            : never;

/** Keeps the literal types of a schema for `Infer`. */
export const schema = <const S extends Schema>(definition: S): S => definition;

/** An object schema. All fields are required unless they are listed as optional, and unknown fields are refused. */
export const object = <
  const P extends { readonly [name: string]: Schema },
  const O extends readonly (keyof P & string)[] = [],
>(
  properties: P,
  optional?: O,
) =>
  ({
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional?.includes(name)) as Exclude<
      keyof P & string,
      O[number]
    >[],
    additionalProperties: false,
  }) as const;

/** The schema of an object with any fields, or null. */
export const anyFields = (documented: Documented) =>
  ({ type: ['object', 'null'], additionalProperties: true, ...documented }) as const;

/** An array schema. */
export const array = <const I extends Schema>(items: I, bounds: { minItems?: number; maxItems?: number } = {}) =>
  ({ type: 'array', items, ...bounds }) as const;
