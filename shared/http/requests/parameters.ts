import { ApiError } from '../../errors.ts';
import { mediaTypeOf } from '../input.ts';
import { parseJsonObject } from '../json.ts';
import type { ObjectSchema } from '../schema.ts';
import { formType, readerOf } from './json.ts';

/**
 * The parameters of a form, each a text that is there once. One without a value counts as omitted, and one that has no meaning here is
 * ignored (RFC 6749, section 3.2).
 */
const parseParameters = (bytes: Uint8Array, { properties }: ObjectSchema): Record<string, string> => {
  const entries = [...new URLSearchParams(Buffer.from(bytes).toString())].filter(
    ([name, value]) => value !== '' && Object.hasOwn(properties, name),
  );
  if (new Set(entries.map(([name]) => name)).size < entries.length)
    throw new ApiError('BODY_MALFORMED', 'The request body must have each parameter once.');
  return Object.fromEntries(entries);
};

/** Reads a JSON object, or the parameters of a form (`application/x-www-form-urlencoded`). */
export const read = readerOf(['application/json', formType], (event, bytes, shape) =>
  mediaTypeOf(event) === formType ? parseParameters(bytes, shape) : parseJsonObject(bytes),
);
