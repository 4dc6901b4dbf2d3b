import { type ScalarSchema, schema } from './schema.ts';

/** Schemas of fields that several resources share. */
export const id = schema({
  type: 'string',
  format: 'uuid',
  description: 'A UUID made by the service.',
  examples: ['0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11'],
});

export const timestamp = schema({
  type: 'string',
  format: 'date-time',
  description: 'RFC 3339 in UTC with milliseconds.',
  examples: ['2026-01-31T09:30:00.000Z'],
});

/** The status in the answer to a deletion. */
export const deleted = schema({ type: 'string', enum: ['deleted'] });

type Nullable<S extends ScalarSchema> = Omit<S, 'type' | 'enum'> & {
  readonly type: readonly [S['type'], 'null'];
} & (S extends {
    readonly enum: readonly (infer V)[];
  }
    ? { readonly enum: readonly (V | null)[] }
    : unknown);

/** The same field, which may also be null. */
export const nullable = <const S extends ScalarSchema & { readonly type: string }>(field: S): Nullable<S> =>
  ({
    ...field,
    type: [field.type, 'null'],
    ...(field.enum && { enum: [...field.enum, null] }),
    ...(field.allowed && { allowed: `${field.allowed}, or null` }),
  }) as Nullable<S>;

/** The query parameters of every list; without `limit` the whole list is the answer. */
export const pageParameters = {
  limit: schema({
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    description: 'At most so many entries; a Link header with rel="next" then leads to the next page.',
    examples: [100],
  }),
  cursor: schema({
    type: 'string',
    minLength: 1,
    maxLength: 1000,
    description: 'Where the page starts: taken from the Link header of the page before.',
  }),
} as const;
