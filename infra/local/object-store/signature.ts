import { createHash, createHmac, createSecretKey } from 'node:crypto';
import type { PresignedCall } from '../object-store.ts';
import { local } from '../template.ts';
import { type Call, denied, invalid, Refusal } from './wire.ts';

/** A call whose sender is known, and what the signatures of its chunks go on from. */
export interface SignedCall extends Call {
  readonly signature: string;
  readonly signingKey: Buffer;
  readonly date: string;
  readonly scope: string;
  /** What the body is signed as: its SHA-256, or a word in its place. */
  readonly payload: string;
}

export type SecretOf = (accessKeyId: string) => Promise<string | undefined>;

/** Says why the signer of a URL may not make the call, in the words of AWS; undefined if nothing forbids it. */
export type RefusalOf = (call: PresignedCall) => Promise<string | undefined>;

const algorithm = 'AWS4-HMAC-SHA256';
const skewMilliseconds = 15 * 60 * 1000;
const validitySecondsMax = 7 * 24 * 60 * 60;
const twoCredentials =
  'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer, text: string): Buffer =>
  // Node 24 takes four times as long for a key in bytes as for a KeyObject.
  createHmac('sha256', createSecretKey(key)).update(text).digest();

/** Refuses a signature unless the key signs these lines so; answers with it. */
export const verifySignature = (signature: string | undefined, key: Buffer, lines: readonly string[]): string => {
  if (hmac(key, lines.join('\n')).toString('hex') === signature) return signature;
  throw new Refusal(403, 'SignatureDoesNotMatch', 'The signature we calculated does not match the one you provided.');
};

/** Proves by SigV4, in the header or in the query, who sends a call. */
export const authenticate = async (
  call: Call,
  { secretOf, refusalOf }: { readonly secretOf: SecretOf; readonly refusalOf: RefusalOf },
): Promise<SignedCall> => {
  const { accessKeyId, scope, signedHeaders, signature, payload, date } = claimOf(call);
  const secret = await secretOf(accessKeyId);
  if (secret === undefined) throw new Refusal(403, 'InvalidAccessKeyId', 'There is no such access key.');
  const signingKey = scope.split('/').reduce((key: Buffer, part) => hmac(key, part), Buffer.from(`AWS4${secret}`));
  const request = sha256(canonicalRequest(call, signedHeaders, payload));
  verifySignature(signature, signingKey, [algorithm, date, scope, request]);
  // The thread of a function checks its own calls before they leave. With a URL, somebody else comes in its name.
  const refusal = isPresigned(call) ? await refusalOf(presignedCall(call, accessKeyId)) : undefined;
  if (refusal !== undefined) throw denied(refusal);
  return { ...call, signature, signingKey, date, scope, payload };
};

const isPresigned = ({ query }: Call): boolean => query.has('X-Amz-Algorithm') || query.has('X-Amz-Signature');

const presignedCall = ({ method, headers, request }: Call, accessKeyId: string): PresignedCall => ({
  accessKeyId,
  method,
  path: `${request.url}`,
  headers: Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value ? [[name, value]] : []))),
});

/** What a call says of its own signature; refused when that is of another time or leaves out what must be signed. */
const claimOf = (call: Call) => {
  const { headers, request } = call;
  const { authorization, 'x-amz-date': date = '' } = headers;
  const isInQuery = isPresigned(call);
  if (isInQuery && authorization !== undefined) throw invalid('InvalidArgument', twoCredentials);
  if (!isInQuery && authorization === undefined) throw denied('Access Denied');
  if (!isInQuery && !authorization?.startsWith(algorithm))
    throw invalid('InvalidArgument', 'Unsupported Authorization Type');
  checkTime(date, isInQuery ? Number(headers['x-amz-expires']) : undefined);
  const [credential = '', names = '', signature = ''] = ['Credential', 'SignedHeaders', 'Signature'].map((name) =>
    isInQuery ? headers[`x-amz-${name.toLowerCase()}`] : new RegExp(`${name}=([^,\\s]+)`).exec(`${authorization}`)?.[1],
  );
  const [accessKeyId = '', ...scopeParts] = credential.split('/');
  const scope = `${date.slice(0, 8)}/${local.region}/s3/aws4_request`;
  if (scopeParts.join('/') !== scope) {
    const code = isInQuery ? 'AuthorizationQueryParametersError' : 'AuthorizationHeaderMalformed';
    throw invalid(code, `The scope of the credential must be '${scope}'.`);
  }
  const signedHeaders = names.split(';');
  const required = Object.keys(request.headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
  const unsigned = required.filter((name) => !signedHeaders.includes(name));
  if (unsigned.length > 0) throw denied(`There were headers present which were not signed: ${unsigned.join(', ')}`);
  const payload = headers['x-amz-content-sha256'] ?? (isInQuery ? 'UNSIGNED-PAYLOAD' : undefined);
  if (payload === undefined) throw invalid('InvalidRequest', 'Missing required header: x-amz-content-sha256');
  return { accessKeyId, scope, signedHeaders, signature, payload, date };
};

const checkTime = (date: string, validSeconds: number | undefined): void => {
  const age = Date.now() - Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (Number.isNaN(age)) throw denied('AWS authentication requires a valid x-amz-date.');
  if (validSeconds === undefined) {
    if (Math.abs(age) <= skewMilliseconds) return;
    throw new Refusal(403, 'RequestTimeTooSkewed', "The request's time is too far from the server's.");
  }
  if (!(validSeconds >= 1 && validSeconds <= validitySecondsMax)) {
    throw invalid('AuthorizationQueryParametersError', `X-Amz-Expires must be 1 to ${validitySecondsMax}.`);
  }
  if (age < -skewMilliseconds) throw denied('Request is not yet valid');
  if (age > validSeconds * 1000) throw denied('Request has expired');
};

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

const canonicalRequest = ({ method, query, request }: Call, names: readonly string[], payload: string): string => {
  const path = decodeURIComponent(`${request.url}`.replace(/\?.*$/s, ''));
  // By the bytes of the encoded name, then of the encoded value: NUL, which neither holds, sorts before all others.
  const parameters = Array.from(query, ([name, value]) => `${encode(name)}\0${encode(value)}`)
    .filter((parameter) => !parameter.startsWith('X-Amz-Signature\0'))
    .toSorted()
    .map((parameter) => parameter.replace('\0', '='));
  const headers = names.map((name) => {
    const values = (request.headersDistinct[name] ?? []).map((value) => value.trim().replaceAll(/ +/g, ' '));
    return `${name}:${values.join(',')}\n`;
  });
  const canonicalPath = path.split('/').map(encode).join('/');
  return [method, canonicalPath, parameters.join('&'), headers.join(''), names.join(';'), payload].join('\n');
};
