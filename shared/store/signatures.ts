import { type SignedRequest, signerOfStore } from '../signed-requests.ts';
import { storeAddress } from './address.ts';

/** The signed parts of one call of S3. */
export interface StoreCall {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long S3 may be silent, if that is longer than for other calls. */
  readonly silenceMilliseconds?: number | undefined;
}

const requestOf = ({ method, key, query = {}, headers = {} }: StoreCall) => {
  const url = storeAddress();
  return {
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port && { port: Number(url.port) }),
    path: url.pathname + key,
    query: { ...query },
    headers: { host: url.host, ...headers },
  };
};

/** The encoding of the signature: RFC 3986 reserves five characters that encodeURIComponent does not encode. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const pathOf = (path: string, query: Readonly<Record<string, unknown>> | undefined): string => {
  const parameters = Object.entries(query ?? {}).map(([name, value]) => `${escaped(name)}=${escaped(String(value))}`);
  return parameters.length > 0 ? `${path}?${parameters.join('&')}` : path;
};

/** Signs a call by its headers. The signature covers the hash of the body, so S3 accepts no other body. */
export const signed = async (call: StoreCall, bodySha256: string): Promise<SignedRequest> => {
  const request = requestOf({ ...call, headers: { ...call.headers, 'x-amz-content-sha256': bodySha256 } });
  const { headers, path, query } = await signerOfStore().sign(request);
  return {
    method: request.method,
    protocol: request.protocol,
    hostname: request.hostname,
    port: request.port,
    path: pathOf(path, query),
    headers,
  };
};

/** A URL that lets anybody make this one call, for the given number of seconds. Signing makes no call. */
export const presigned = async (call: StoreCall, expiresInSeconds: number): Promise<string> => {
  // The bytes of an upload are not known yet, and a download has no body to hash.
  const request = requestOf({ ...call, headers: { ...call.headers, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } });
  const { protocol, path, query, headers } = await signerOfStore().presign(request, {
    expiresIn: expiresInSeconds,
    // The user of the URL must send these headers exactly as they are signed.
    unhoistableHeaders: new Set(Object.keys(call.headers ?? {})),
  });
  return `${protocol}//${String(headers.host)}${pathOf(path, query)}`;
};
