import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addStandardFormats from 'ajv-formats';
import { documentWords } from '../../functions/document-words.ts';
import { endpoints } from '../../functions/endpoints.ts';
import type { Contract } from '../../shared/http/contract.ts';
import { openApiDocument } from '../../shared/openapi/document.ts';
import type { Reply } from './wire.ts';

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The standard formats, but for what the service promises of its own: UUIDs in lower case, times in UTC with milliseconds. */
export const addFormats = (ajv: Ajv2020): void => {
  addStandardFormats.default(ajv);
  ajv.addFormat('uuid', uuid);
  ajv.addFormat('date-time', (text: string) => new Date(text).toJSON() === text);
  // The URL of an upstream is returned as it was sent: it may hold {package-name}, or letters that a URI has to encode.
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
};

import packageJson from '../../package.json' with { type: 'json' };

/** The document that the service must live up to. */
export const document = openApiDocument(endpoints, packageJson.version, documentWords);

type Json = Readonly<Record<string, unknown>>;

interface Response {
  readonly headers: Readonly<Record<string, Json>>;
  readonly content?: Readonly<Record<string, Json>>;
}

/** Headers of the connection and of the gateway, which no document of an API lists. */
const transport = new Set(['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'x-amzn-requestid']);

// The document is no schema itself, and a test of its own looks at the schemas in it.
const ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: false });
addFormats(ajv);
ajv.addSchema(document, 'openapi');

const compiled = new Map<string, ValidateFunction>();

/** Refuses a value that the schema at a place of the document does not allow. */
export const validate = (pointer: string, value: unknown): void => {
  const check = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
  compiled.set(pointer, check);
  if (!check(value)) throw new Error(`Not as documented at ${pointer}: ${ajv.errorsText(check.errors)}`);
};

/** What stands at a place of the document. */
export const at = (pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, segment) => (value as Json | undefined)?.[segment], document);

/** Follows a reference, if there is one. */
export const target = (pointer: string): string => {
  const { $ref } = (at(pointer) ?? {}) as { $ref?: string };
  return $ref === undefined ? pointer : $ref.slice(1);
};

const escaped = (segment: string): string => segment.replaceAll('~', '~0').replaceAll('/', '~1');

/** Where the document describes an endpoint. */
export const operationPointer = ({ path, method }: Contract): string =>
  `/paths/${escaped(path.replace('+}', '}'))}/${method.toLowerCase()}`;

const responsePointer = (contract: Contract, status: number): string => {
  const pointer = target(`${operationPointer(contract)}/responses/${status}`);
  if (at(pointer) === undefined) throw new Error(`The document has no response ${status} of ${contract.id}.`);
  return pointer;
};

/** What the document says of a response. */
interface Documented {
  readonly pointer: string;
  /** The places of its headers, by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly content: Response['content'];
}

const responses = new Map<string, Documented>();

const documentedResponse = (contract: Contract, status: number): Documented => {
  const id = `${contract.method} ${contract.path} ${status}`;
  const known = responses.get(id);
  if (known) return known;
  const pointer = responsePointer(contract, status);
  const { headers, content } = at(pointer) as Response;
  const places = Object.keys(headers).map(
    (name) => [name.toLowerCase(), target(`${pointer}/headers/${name}`)] as const,
  );
  const response = { pointer, headers: new Map(places), content };
  responses.set(id, response);
  return response;
};

/** Refuses a reply whose status, headers, media type or body the document does not announce. */
export const checkAgainstDocument = (contract: Contract, { status, headers, text }: Reply): void => {
  const { pointer, headers: documented, content } = documentedResponse(contract, status);
  for (const name of Object.keys(headers))
    if (!documented.has(name) && !transport.has(name))
      throw new Error(`The document has no header ${name} in the response ${status} of ${contract.id}.`);
  for (const [name, place] of documented) checkHeader(place, [headers[name]].flat()[0]);

  if (content === undefined) {
    if (text !== '') throw new Error(`The document has no content in the response ${status} of ${contract.id}.`);
    return;
  }
  const mediaType = headers['content-type'] ?? '';
  if (!content[mediaType])
    throw new Error(`The document has no media type '${mediaType}' in the response ${status} of ${contract.id}.`);
  // HEAD, 304 and 206 have the media type of the whole, and leave out all or some of it.
  if (text === '' || status === 206) return;
  const body: unknown = /[/+]json$/.test(mediaType) ? JSON.parse(text) : text;
  validate(`${pointer}/content/${escaped(mediaType)}/schema`, body);
};

const checkHeader = (pointer: string, value: string | readonly string[] | undefined): void => {
  const { required, schema } = at(pointer) as { required: boolean; schema: { type: string } };
  if (value === undefined && required) throw new Error(`The header documented at ${pointer} is missing.`);
  if (value !== undefined) validate(`${pointer}/schema`, schema.type === 'integer' ? Number(value) : value);
};
