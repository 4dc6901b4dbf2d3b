import { permissionLevels } from '../access.ts';
import { object, type ScalarSchema, schema } from './schema.ts';

/** Schemas of fields that several resources share. */
export const id = schema({
  type: 'string',
  format: 'uuid',
  description: 'A UUID that the service has generated.',
  examples: ['0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11'],
});

export const timestamp = schema({
  type: 'string',
  format: 'date-time',
  description: 'A time in UTC with milliseconds (RFC 3339).',
  examples: ['2026-01-31T09:30:00.000Z'],
});

/** A time in a query, which `timesInQuery` reads. */
export const moment = (description: string) =>
  schema({ type: 'string', format: 'date-time', description, examples: ['2020-01-31T09:30:00Z'] });

/**
 * A name of free text. Characters that nobody sees are refused: control characters, line separators, those that turn the direction of
 * a text or have no width, and Unicode's noncharacters, which also sort after everything that a list expects. The joiners of Persian
 * and of emoji are letters of a name.
 */
export const freeName = <const Bounds extends { readonly minLength?: number; readonly maxLength: number }>(
  bounds: Bounds,
  example: string,
) =>
  schema({
    type: 'string',
    ...bounds,
    pattern: '^[^\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}\\u200b\\u2060\\ufeff\\p{Noncharacter_Code_Point}]*$',
    allowed: `a string of ${bounds.minLength ? `${bounds.minLength} to` : 'at most'} ${bounds.maxLength} characters, without control, direction and zero-width characters, line breaks and noncharacters`,
    examples: [example],
  });

/** A permission level on a repository. */
export const level = schema({ type: 'string', enum: permissionLevels, examples: ['canDeploy'] });

/** A repository in a body, by its ID or its name, and a level on it. */
export const repositoryLevel = object({
  repositoryReference: schema({
    type: 'string',
    maxLength: 100,
    allowed: 'the ID or name of a repository',
    examples: ['npm-local'],
  }),
  repositoryPermissionLevel: level,
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

/** The query parameters of every list. Without `limit`, the answer is the whole list. */
export const pageParameters = {
  limit: schema({
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    description:
      'Maximum number of entries per page. If there may be more, a `Link` header points to the next page: a page can be shorter, or empty, before the end.',
    examples: [100],
  }),
  cursor: schema({
    type: 'string',
    minLength: 1,
    maxLength: 1000,
    description: 'Where the page starts. Take it from the `Link` header of the previous page.',
  }),
} as const;

export const lastUsedAt = nullable(
  schema({
    ...timestamp,
    description: 'The time of the last use, rounded down to the hour; null before the first use.',
    examples: ['2026-01-31T09:00:00.000Z'],
  }),
);
