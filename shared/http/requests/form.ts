import type { BuiltContract, RequestReader } from '../built-contract.ts';
import type { RequestKind } from '../contract.ts';
import type { Json } from '../documenter.ts';
import { readInput } from '../input.ts';
import type { ByteBody, FormBody } from '../payloads.ts';
import { formBodyOf, readParts, unknownFile } from './form-parts.ts';

type FormRequest = Extract<RequestKind, { kind: 'form' }>;

/** A text field may be as long as the body: clients send the description of a package as one. */
const fieldsMax = 2_000;

/** Gives a form of a package type's client as a reader of its parts. */
export const read: RequestReader = (contract, event) =>
  readInput(contract, event, () => ({ body: formBody(contract, formBodyOf(event, requestOf(contract).bytesMax)) }));

const requestOf = ({ id, request }: BuiltContract): FormRequest => {
  if (request?.kind !== 'form') throw new Error(`The contract ${id} takes no form.`);
  return request;
};

const formBody = (contract: BuiltContract, body: ByteBody): FormBody => ({
  read: async (onFile) => {
    const { fileFields, bytesMax } = requestOf(contract);
    const fields = new Map<string, string[]>();
    const files = await readParts(body, {
      onField: (name, value) => {
        fields.set(name, [...(fields.get(name) ?? []), value]);
      },
      onFile: (name, file) => {
        if (!fileFields.includes(name)) throw unknownFile(name, fileFields);
        return onFile({ ...file, field: name });
      },
      fieldLimits: { fields: fieldsMax, fieldSize: bytesMax, parts: fieldsMax },
    });
    return { fields, files };
  },
});

/** The request body in the OpenAPI document. */
export const describe = ({ fileFields }: FormRequest): Json => {
  const file = { type: 'string', contentMediaType: 'application/octet-stream' };
  const properties = Object.fromEntries(fileFields.map((name) => [name, file]));
  return { required: true, content: { 'multipart/form-data': { schema: { type: 'object', properties } } } };
};
