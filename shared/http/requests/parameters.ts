import { ApiError } from '../../errors.ts';
import { mediaTypeOf } from '../input.ts';
import { parseJsonObject } from '../json.ts';
import { formType, readerOf } from './json.ts';

/** The parameters of a form, each a text that is there once. */
const parseParameters = (bytes: Uint8Array): Record<string, string> => {
  const entries = [...new URLSearchParams(Buffer.from(bytes).toString())];
  if (new Set(entries.map(([name]) => name)).size < entries.length)
    throw new ApiError('BODY_MALFORMED', 'The request body must have each parameter once.');
  return Object.fromEntries(entries);
};

/** Reads a JSON object, or the parameters of a form (`application/x-www-form-urlencoded`). */
export const read = readerOf(['application/json', formType], (event, bytes) =>
  mediaTypeOf(event) === formType ? parseParameters(bytes) : parseJsonObject(bytes),
);
