import type { Ajv2020 } from 'ajv/dist/2020.js';

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The formats of schemas, as strict as the contract of the service: UUIDs in lower case, times with milliseconds. */
export const addFormats = (ajv: Ajv2020): void => {
  ajv.addFormat('uuid', uuid);
  ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  ajv.addFormat('uri-reference', (text: string) => URL.canParse(text, 'http://localhost'));
  ajv.addFormat('email', /^[^@\s]+@[^@\s]+$/);
  ajv.addFormat('password', true);
};
