import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

export type Headers = Readonly<Record<string, string | undefined>>;

/** What a request asks for. */
export interface Call {
  readonly method: string;
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
  /** With the `x-amz-*` parameters of a presigned URL, which stand for headers. */
  readonly headers: Headers;
  readonly request: IncomingMessage;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: string | Readable;
}

/** A refusal in S3's words: the status, the code that clients go by, and a sentence. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.answer = { status, headers, body: status === 304 ? '' : element('Error', { Code: code, Message: message }) };
  }
}

export const invalid = (code: string, message: string): Refusal => new Refusal(400, code, message);
export const denied = (message: string): Refusal => new Refusal(403, 'AccessDenied', message);
export const notImplemented = (what: string): Refusal =>
  new Refusal(501, 'NotImplemented', `${what} is not implemented here.`);

type Value = string | number | boolean | undefined | readonly Value[] | { readonly [name: string]: Value };

/** An XML element: of a list one for each value, of undefined none. */
export const element = (name: string, value: Value): string => {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map((each: Value) => element(name, each)).join('');
  const content =
    typeof value === 'object'
      ? Object.entries(value).map(([child, each]) => element(child, each))
      : [String(value).replaceAll(/[&<>"'\p{Cc}]/gu, (character) => `&#${character.codePointAt(0)};`)];
  return `<${name}>${content.join('')}</${name}>`;
};

/** What stands in each element of this name, with its markup. */
export const contentsOf = (xml: string, name: string): string[] =>
  Array.from(xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>(.*?)</${name}>`, 'gs')), ([, content = '']) => content);

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The text of the first element of this name. */
export const textOf = (xml: string, name: string): string | undefined =>
  contentsOf(xml, name)[0]?.replaceAll(/&(?:#(x?[\da-f]+)|(\w+));/gi, (_, code?: string, entity = '') =>
    code ? String.fromCodePoint(Number(code.replace(/^x/i, '0x'))) : (entities[entity] ?? ''),
  );

/** The bucket and the key that a path names, decoded once. Only the bucket's name becomes part of a file's path. */
export const readPath = (path: string): Pick<Call, 'bucket' | 'key'> => {
  const [, bucket = '', key = ''] = /^\/?([^/]*)\/?(.*)$/s.exec(decodeURIComponent(path)) ?? [];
  if (!/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(bucket))
    throw invalid('InvalidBucketName', 'This is no name of a bucket.');
  if (Buffer.byteLength(key) > 1024) throw invalid('KeyTooLongError', 'Your key is too long.');
  return { bucket, key };
};

export const readCall = (request: IncomingMessage): Call => {
  const [path = '', ...search] = `${request.url}`.split('?');
  const query = new URLSearchParams(search.join('?'));
  const hoisted = Array.from(query, ([name, value]) => [name.toLowerCase(), value] as const);
  // S3 signs a checksum in the query, and then ignores it (aws-sdk-go-v2#2610).
  const standIns = /^x-amz-(?!checksum-(?:crc|sha))/;
  const headers = Object.fromEntries(hoisted.filter(([name]) => standIns.test(name)));
  Object.assign(headers, request.headers);
  return { ...readPath(path), method: `${request.method}`, query, headers, request };
};
