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

/** The same field, which may also be null. */
export const nullable = <const S extends ScalarSchema & { readonly type: string }>(field: S) =>
  ({ ...field, type: [field.type, 'null'] }) as Omit<S, 'type'> & { readonly type: readonly [S['type'], 'null'] };
