import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { config } from '../config.ts';

/** The hash that the signer of the SDK asks for, over node:crypto. */
class Sha256 {
  private readonly hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.hash =
      secret === undefined
        ? createHash('sha256')
        : createHmac('sha256', typeof secret === 'string' ? secret : bytesOf(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.hash.update(typeof data === 'string' ? data : bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }

  reset(): void {
    throw new Error('The signer of the store never reuses a hash.');
  }
}

const bytesOf = (data: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);

/** One call of S3: what is signed of it. */
export interface StoreCall {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A call with its signature, ready for node:http(s). */
export interface SignedCall {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const requestOf = ({ method, key, query = {}, headers = {} }: StoreCall) => {
  const { endpoint, region } = config.storeAccess;
  const bucket = config.storeBucket;
  // Other engines than S3 are addressed by path: their host names know no buckets.
  const url = new URL(endpoint ?? `https://${bucket}.s3.${region}.amazonaws.com`);
  const prefix = endpoint ? `/${bucket}/` : '/';
  return {
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port && { port: Number(url.port) }),
    path: prefix + key,
    query: { ...query },
    headers: { host: url.host, ...headers },
  };
};

const signer = (): SignatureV4 => {
  const { region, credentials } = config.storeAccess;
  return new SignatureV4({ service: 's3', region, credentials, sha256: Sha256, uriEscapePath: false });
};

/** As the signature has it: RFC 3986 reserves five characters that encodeURIComponent leaves alone. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const pathOf = (path: string, query: Readonly<Record<string, unknown>> | undefined): string => {
  const parameters = Object.entries(query ?? {}).map(([name, value]) => `${escaped(name)}=${escaped(String(value))}`);
  return parameters.length > 0 ? `${path}?${parameters.join('&')}` : path;
};

/** Signs a call by its headers. The hash of the body is signed too: S3 takes no other body. */
export const signed = async (call: StoreCall, bodySha256: string): Promise<SignedCall> => {
  const request = requestOf({ ...call, headers: { ...call.headers, 'x-amz-content-sha256': bodySha256 } });
  const { headers, path, query } = await signer().sign(request);
  return {
    protocol: request.protocol,
    hostname: request.hostname,
    port: request.port,
    path: pathOf(path, query),
    headers,
  };
};

/** A URL by which anybody can make this one call, for so many seconds. No call is made to sign it. */
export const presigned = async (call: StoreCall, expiresInSeconds: number): Promise<string> => {
  // What is uploaded by the URL is not known yet; of a download there is nothing to hash.
  const request = requestOf({ ...call, headers: { ...call.headers, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } });
  const { protocol, path, query, headers } = await signer().presign(request, {
    expiresIn: expiresInSeconds,
    // Whoever uses the URL must send these as they are signed.
    unhoistableHeaders: new Set(Object.keys(call.headers ?? {})),
  });
  return `${protocol}//${String(headers.host)}${pathOf(path, query)}`;
};
