import { text } from 'node:stream/consumers';
import { type Algorithm, algorithms, Content, etagDigest } from './checksums.ts';
import { decodeChunks } from './chunks.ts';
import type { SignedCall } from './signature.ts';
import { type Headers, invalid, Refusal } from './wire.ts';

const bytesMax = 5 * 1024 ** 3;

/** The algorithm of the checksum that comes with a call, in a header or in a trailer. */
export const algorithmOf = (headers: Headers): Algorithm | undefined =>
  algorithms.find((name) => [headers['x-amz-trailer'], ...Object.keys(headers)].includes(`x-amz-checksum-${name}`));

/** The body of a call. It is refused at its end when a length or a digest that was promised does not fit. */
export const bodyOf = (call: SignedCall, algorithm = algorithmOf(call.headers)): Content => {
  const headers = { ...call.headers };
  const isChunked = call.payload.startsWith('STREAMING-');
  const hash = /^[\da-f]{64}$/.test(call.payload) ? call.payload : undefined;
  if (!isChunked && !hash && call.payload !== 'UNSIGNED-PAYLOAD') {
    throw invalid('InvalidArgument', 'x-amz-content-sha256 must be a SHA-256, UNSIGNED-PAYLOAD or STREAMING-….');
  }
  const length = headers[isChunked ? 'x-amz-decoded-content-length' : 'content-length'];
  if (length === undefined) throw new Refusal(411, 'MissingContentLength', 'You must say how long the body is.');
  if (Number(length) > bytesMax) throw invalid('EntityTooLarge', 'One request stores at most 5 GB.');
  const source = isChunked ? decodeChunks(call, headers) : call.request;
  const names = [
    etagDigest(algorithm),
    algorithm,
    hash ? 'sha256' : undefined,
    headers['content-md5'] ? 'md5' : undefined,
  ] as const;
  return new Content(source, names, ({ size, digests }) => {
    if (size !== Number(length)) throw invalid('IncompleteBody', 'The body has not the promised length.');
    if (hash && digests.sha256?.toString('hex') !== hash) {
      throw invalid('XAmzContentSHA256Mismatch', 'The x-amz-content-sha256 does not match the body.');
    }
    verifyDigests(digests, headers);
  });
};

const verifyDigests = (digests: Content['digests'], headers: Headers): void => {
  const promises = [
    ['md5', 'content-md5'] as const,
    ...algorithms.map((name) => [name, `x-amz-checksum-${name}`] as const),
  ];
  for (const [name, header] of promises) {
    const isRight = headers[header] === undefined || headers[header] === digests[name]?.toString('base64');
    if (!isRight) throw invalid('BadDigest', `The ${header} does not match the body.`);
  }
  const { 'x-amz-trailer': trailer } = headers;
  if (trailer && !(trailer in headers)) throw invalid('MalformedTrailerError', `The trailer ${trailer} is missing.`);
};

/** The XML that a call carries. */
export const xmlOf = async (call: SignedCall): Promise<string> => text(bodyOf(call));
