import { tooLarge } from '../body-limits.ts';
import type { BuiltContract, RequestReader } from '../built-contract.ts';
import type { RequestKind } from '../contract.ts';
import type { Json } from '../documenter.ts';
import { headerOf, readInput, requirePlain } from '../input.ts';
import type { ByteBody, FormBody } from '../payloads.ts';
import { byteBodyOf } from './bytes.ts';
import { formBodyOf, readParts, unknownFile } from './form-parts.ts';

type FormRequest = Extract<RequestKind, { kind: 'form' }>;

/** A text field may be as long as the body: clients send the description of a package as one. */
const fieldsMax = 2_000;

/** Gives a form of a package type's client as a reader of its parts. */
export const read: RequestReader = (contract, event) =>
  readInput(contract, event, () => {
    const { bodyField, ...limits } = requestOf(contract);
    if (bodyField === undefined || isForm(headerOf(event, 'content-type')))
      return { body: formBody(contract, formBodyOf(event, limits)) };
    const body = byteBodyOf(event, limits);
    requirePlain(event);
    return { body: fileBody(bodyField, body) };
  });

const isForm = (mediaType = ''): boolean => /^multipart\/form-data\b/i.test(mediaType);

/** A body that is one file. */
const fileBody = (field: string, body: ByteBody): FormBody => ({
  read: async (onFile) => {
    const file = { field, fileName: '', mediaType: body.mediaType ?? '', stream: body.stream() };
    return { fields: new Map(), files: [await onFile(file)] };
  },
});

const requestOf = ({ id, request }: BuiltContract): FormRequest => {
  if (request?.kind !== 'form') throw new Error(`The contract ${id} takes no form.`);
  return request;
};

const formBody = (contract: BuiltContract, body: ByteBody): FormBody => ({
  read: async (onFile) => {
    const { fileFields, takesAnyName = false, bytesMax } = requestOf(contract);
    const fields = new Map<string, string[]>();
    let fieldBytes = 0;
    const files = await readParts(body, {
      onField: (name, value) => {
        // All fields are in memory, also those of a large body.
        fieldBytes += value.length;
        if (fieldBytes > bytesMax) throw tooLarge(bytesMax);
        fields.set(name, [...(fields.get(name) ?? []), value]);
      },
      onFile: (name, file) => {
        if (!takesAnyName && !fileFields.includes(name)) throw unknownFile(name, fileFields);
        return onFile({ ...file, field: name });
      },
      fieldLimits: { fields: fieldsMax, fieldSize: bytesMax, parts: fieldsMax },
    });
    return { fields, files };
  },
});

/** The request body in the OpenAPI document. */
export const describe = ({ fileFields, bodyField }: FormRequest): Json => {
  const file = { type: 'string', contentMediaType: 'application/octet-stream' };
  const properties = Object.fromEntries(fileFields.map((name) => [name, file]));
  const form = { 'multipart/form-data': { schema: { type: 'object', properties } } };
  return { required: true, content: bodyField === undefined ? form : { ...form, 'application/octet-stream': {} } };
};
