import type { Ajv2020 } from 'ajv/dist/2020.js';
import addStandardFormats from 'ajv-formats';

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The standard formats, but for what the service promises of its own: UUIDs in lower case, times in UTC with milliseconds. */
export const addFormats = (ajv: Ajv2020): void => {
  addStandardFormats.default(ajv);
  ajv.addFormat('uuid', uuid);
  ajv.addFormat('date-time', (text: string) => new Date(text).toJSON() === text);
  // The URL of an upstream is returned as it was sent: it may hold {package-name}, or letters that a URI has to encode.
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
};
