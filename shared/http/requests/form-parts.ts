import type { APIGatewayProxyEvent } from 'aws-lambda';
import busboy from 'busboy';
import { ApiError, invalid } from '../../errors.ts';
import { requirePlain } from '../input.ts';
import type { ByteBody, FilePart } from '../payloads.ts';
import { type BodyLimits, byteBodyOf } from './bytes.ts';

/** The limits of the parts of a body. */
const limits = { files: 100, fields: 100, fieldSize: 64 * 1024, parts: 200, headerPairs: 50 };

/** The `multipart/form-data` body of an event. Throws BODY_TOO_LARGE and MEDIA_TYPE_UNSUPPORTED. */
export const formBodyOf = (event: APIGatewayProxyEvent, maxima: BodyLimits): ByteBody => {
  const body = byteBodyOf(event, maxima);
  if (!/^multipart\/form-data\s*;/i.test(body.mediaType ?? ''))
    throw new ApiError('MEDIA_TYPE_UNSUPPORTED', 'Send the body as multipart/form-data with a boundary, uncompressed.');
  requirePlain(event);
  return body;
};

/** The refusal of a body that is not well-formed. */
export const malformedForm = (detail = 'The request body is no well-formed multipart body.'): ApiError =>
  new ApiError('BODY_MALFORMED', detail);

/** The refusal of a file under a name that the request does not have. */
export const unknownFile = (name: string, fileFields: readonly string[]): ApiError =>
  invalid([
    {
      pointer: `/${name}`,
      rule: 'unknown',
      message: `${name} is not a file of this request. Files are ${fileFields.join(', ')}.`,
    },
  ]);

/** What a body does with its parts. An error of either function refuses the request. */
export interface PartReader<T> {
  readonly onField: (name: string, value: string) => void;
  /** Returns undefined for a file that nobody reads. */
  readonly onFile: (name: string, file: FilePart) => Promise<T> | undefined;
  /** The limits of the text fields, if they are not the usual ones. */
  readonly fieldLimits?: Partial<Pick<typeof limits, 'fields' | 'fieldSize' | 'parts'>>;
}

/** Reads the parts in their order, from any stream of bytes. */
export const readParts = async <T>(
  body: ByteBody,
  { onField, onFile, fieldLimits = {} }: PartReader<T>,
): Promise<readonly T[]> => {
  const bounds = { ...limits, ...fieldLimits };
  const parser = parserOf(body, bounds);
  const files: Promise<T>[] = [];
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const orReject = <R>(work: () => R): R | undefined => {
    try {
      return work();
    } catch (error) {
      reject(error);
      return undefined;
    }
  };
  // The parser has no value for a field in a character set that it does not know.
  parser.on('field', (name, value: string | undefined, { nameTruncated, valueTruncated }) => {
    if (value === undefined)
      reject(malformedForm('A field of the request body is in a character set that is not read. Send it as UTF-8.'));
    else if (nameTruncated || valueTruncated)
      reject(malformedForm(`A field of the request body must be at most ${Math.floor(bounds.fieldSize / 1024)} KiB.`));
    else orReject(() => onField(name, value));
  });
  parser.on('file', (name, stream, { filename = '', mimeType }) => {
    // A body that is cut ends its file with an error, which would end the process where nobody reads the file.
    stream.on('error', () => {});
    const file = orReject(() => onFile(name, { fileName: filename, mediaType: mimeType, stream }));
    // The parser ends only if each file flows to its end.
    if (!file) {
      stream.resume();
      return;
    }
    files.push(file);
    // The reader of a file may stop early.
    file.catch((error: unknown) => {
      stream.resume();
      reject(error);
    });
  });
  const tooMany = () => reject(malformedForm(`At most ${bounds.files} files and ${bounds.fields} fields are read.`));
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) parser.on(limit, tooMany);
  parser.on('error', () => reject(malformedForm()));
  parser.on('close', resolve);
  const source = body.stream();
  source.on('error', reject);
  source.pipe(parser);
  try {
    await ended;
    return await Promise.all(files);
  } finally {
    // Whoever still reads a file learns that no more of it comes.
    source.destroy();
    parser.destroy();
  }
};

const parserOf = ({ mediaType = '' }: ByteBody, bounds: typeof limits): busboy.Busboy => {
  try {
    return busboy({ headers: { 'content-type': mediaType }, limits: bounds, defParamCharset: 'utf8' });
  } catch {
    throw malformedForm();
  }
};
