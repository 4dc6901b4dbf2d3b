import busboy from 'busboy';
import { ApiError, invalid, type Violation } from '../../errors.ts';
import type { BuiltContract, RequestReader } from '../built-contract.ts';
import type { RequestKind } from '../contract.ts';
import type { Documenter, Json } from '../documenter.ts';
import { isPlain, readInput } from '../input.ts';
import type { ByteBody, FilePart, MultipartBody } from '../payloads.ts';
import { violationsOf } from '../validation.ts';
import { byteBodyOf, tooLarge } from './bytes.ts';

type MultipartRequest = Extract<RequestKind, { kind: 'multipart' }>;
type Fields = Record<string, unknown>;

/** The limits of the files and of the text fields of a body. */
const limits = { files: 100, fields: 100, fieldSize: 64 * 1024, parts: 200, headerPairs: 50 } as const;

/** Gives a `multipart/form-data` body as a reader of its parts. */
export const read: RequestReader = (contract, event) =>
  readInput(contract, event, () => {
    const { bytesMax } = requestOf(contract);
    const body = byteBodyOf(event);
    if (body.length > bytesMax) throw tooLarge(bytesMax);
    if (!/^multipart\/form-data\s*;/i.test(body.mediaType ?? '') || !isPlain(event))
      throw new ApiError(
        'MEDIA_TYPE_UNSUPPORTED',
        'Send the body as multipart/form-data with a boundary, uncompressed.',
      );
    return { body: multipartBody(contract, body) };
  });

const requestOf = ({ id, request }: BuiltContract): MultipartRequest => {
  if (request?.kind !== 'multipart') throw new Error(`The contract ${id} takes no multipart body.`);
  return request;
};

const malformed = (detail = 'The request body is no well-formed multipart body.'): ApiError =>
  new ApiError('BODY_MALFORMED', detail);

const unknownFile = (name: string, fileField: string): ApiError =>
  invalid([
    { pointer: `/${name}`, rule: 'unknown', message: `${name} is not a file of this request. Files are ${fileField}.` },
  ]);

const noFile = (fileField: string): Violation => ({
  pointer: `/${fileField}`,
  rule: 'required',
  message: `${fileField} is required: it must be one or more files.`,
});

/** A body of parts, from any stream of bytes. */
const multipartBody = (contract: BuiltContract, body: ByteBody): MultipartBody<Fields> => ({
  read: async (onFile) => {
    const { fileField, fields: shape } = requestOf(contract);
    const check = (fields: Fields): readonly Violation[] =>
      contract.validateBody ? violationsOf(contract.validateBody, shape, fields) : [];
    // A field that is missing may still come after the file.
    const isBroken = (fields: Fields): boolean => check(fields).some(({ rule }) => rule !== 'required');
    const { fields, files, fileCount } = await readParts(body, fileField, onFile, isBroken);
    const violations = check(fields);
    const all = fileCount > 0 ? violations : [...violations, noFile(fileField)];
    if (all.length > 0) throw invalid(all);
    return { fields, files };
  },
});

const parserOf = ({ mediaType = '' }: ByteBody): busboy.Busboy => {
  try {
    return busboy({ headers: { 'content-type': mediaType }, limits, defParamCharset: 'utf8' });
  } catch {
    throw malformed();
  }
};

/** Reads the parts in their order. Once a field is broken, the files that follow are read by nobody. */
const readParts = async <T>(
  body: ByteBody,
  fileField: string,
  onFile: (file: FilePart) => Promise<T>,
  isBroken: (fields: Fields) => boolean,
): Promise<{ fields: Fields; files: T[]; fileCount: number }> => {
  const parser = parserOf(body);
  const fields: Fields = {};
  const files: Promise<T>[] = [];
  let fileCount = 0;
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  parser.on('field', (name, value, { nameTruncated, valueTruncated }) => {
    if (nameTruncated || valueTruncated) reject(malformed('A field of the request body must be at most 64 KiB.'));
    else if (Object.hasOwn(fields, name)) reject(malformed(`The field ${name} must be given once.`));
    else Object.defineProperty(fields, name, { value, enumerable: true });
  });
  parser.on('file', (name, stream, { filename = '', mimeType }) => {
    fileCount += 1;
    // The parser ends only if each file flows to its end.
    if (name !== fileField || isBroken(fields)) {
      stream.resume();
      if (name !== fileField) reject(unknownFile(name, fileField));
      return;
    }
    const file = onFile({ fileName: filename, mediaType: mimeType, stream });
    files.push(file);
    // The reader of a file may stop early.
    file.catch((error: unknown) => {
      stream.resume();
      reject(error);
    });
  });
  const tooMany = () => reject(malformed(`At most ${limits.files} files and ${limits.fields} fields are read.`));
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) parser.on(limit, tooMany);
  parser.on('error', () => reject(malformed()));
  parser.on('close', resolve);
  const source = body.stream();
  source.on('error', reject);
  source.pipe(parser);
  try {
    await ended;
    return { fields, files: await Promise.all(files), fileCount };
  } finally {
    // Whoever still reads a file learns that no more of it comes.
    source.destroy();
    parser.destroy();
  }
};

/** The request body in the OpenAPI document. */
export const describe = ({ fileField, fields }: MultipartRequest, words: Documenter): Json => {
  const schema = words.schema(fields);
  const file = { type: 'array', items: { type: 'string', contentMediaType: 'application/octet-stream' }, minItems: 1 };
  const properties = { [fileField]: file, ...(schema.properties as Json) };
  const required = [fileField, ...fields.required];
  return { required: true, content: { 'multipart/form-data': { schema: { ...schema, properties, required } } } };
};
