import { requireValid, type Violation } from '../../errors.ts';
import type { BuiltContract, RequestReader } from '../built-contract.ts';
import type { RequestKind } from '../contract.ts';
import type { Documenter, Json } from '../documenter.ts';
import { readInput } from '../input.ts';
import type { ByteBody, MultipartBody } from '../payloads.ts';
import { violationsOf } from '../validation.ts';
import { formBodyOf, malformedForm, readParts, unknownFile } from './form-parts.ts';

type MultipartRequest = Extract<RequestKind, { kind: 'multipart' }>;
type Fields = Record<string, unknown>;

/** Gives a `multipart/form-data` body as a reader of its parts. */
export const read: RequestReader = (contract, event) =>
  readInput(contract, event, () => ({
    body: multipartBody(contract, formBodyOf(event, requestOf(contract))),
  }));

const requestOf = ({ id, request }: BuiltContract): MultipartRequest => {
  if (request?.kind !== 'multipart') throw new Error(`The contract ${id} takes no multipart body.`);
  return request;
};

const noFile = (fileField: string): Violation => ({
  pointer: `/${fileField}`,
  rule: 'required',
  message: `${fileField} is required: it must be one or more files.`,
});

const withoutBoundary = async function* ({ mediaType = '', stream }: ByteBody): AsyncGenerator<string> {
  const [, boundary] = /boundary="?([^";]+)/i.exec(mediaType) ?? [];
  const mark = `--${boundary}`;
  let rest = '';
  for await (const piece of stream() as AsyncIterable<Buffer>) {
    const text = (rest + piece.toString('latin1')).replaceAll(mark, '--');
    // The beginning of a boundary whose end is in the next piece.
    const end = Math.max(0, text.length - mark.length + 1);
    rest = text.slice(end);
    yield text.slice(0, end);
  }
  yield rest;
};

/** A body of parts, from any stream of bytes. Once a field is broken, the files that follow are read by nobody. */
const multipartBody = (contract: BuiltContract, body: ByteBody): MultipartBody<Fields> => ({
  addTo: async (hash) => {
    for await (const text of withoutBoundary(body)) hash.update(text);
  },
  read: async (onFile) => {
    const { fileField, fields: shape } = requestOf(contract);
    const check = (sent: Fields): readonly Violation[] =>
      contract.validateBody ? violationsOf(contract.validateBody, shape, sent) : [];
    const fields: Fields = {};
    let fileCount = 0;
    const files = await readParts(body, {
      onField: (name, value) => {
        if (Object.hasOwn(fields, name)) throw malformedForm(`The field ${name} must be given once.`);
        Object.defineProperty(fields, name, { value, enumerable: true });
      },
      onFile: (name, file) => {
        fileCount += 1;
        if (name !== fileField) throw unknownFile(name, [fileField]);
        // A field that is missing may still come after the file.
        return check(fields).some(({ rule }) => rule !== 'required') ? undefined : onFile(file);
      },
    });
    const violations = check(fields);
    const all = fileCount > 0 ? violations : [...violations, noFile(fileField)];
    requireValid(all);
    return { fields, files };
  },
});

/** The request body in the OpenAPI document. */
export const describe = ({ fileField, fields }: MultipartRequest, words: Documenter): Json => {
  const schema = words.schema(fields);
  const file = { type: 'array', items: { type: 'string', contentMediaType: 'application/octet-stream' }, minItems: 1 };
  const properties = { [fileField]: file, ...(schema.properties as Json) };
  const required = [fileField, ...fields.required];
  return { required: true, content: { 'multipart/form-data': { schema: { ...schema, properties, required } } } };
};
