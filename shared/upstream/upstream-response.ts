import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { discard } from './discard.ts';
import type { Limits } from './limits.ts';
import { PacedBody } from './paced-body.ts';
import type { FailureContext } from './upstream-error.ts';

/** A body that is sent with POST. */
export interface PostedBody {
  readonly bytes: Uint8Array;
  readonly mediaType: 'application/json' | 'application/x-www-form-urlencoded';
}

/** The request headers. No others are sent, so that no redirect can carry a secret away. */
export interface Ask {
  readonly method?: 'GET' | 'HEAD' | undefined;
  /** What is sent with POST. An upstream that redirects it is not followed. */
  readonly sent?: PostedBody | undefined;
  /** Metadata may be compressed. A file is requested uncompressed, because its hash is that of its bytes. */
  readonly content: 'metadata' | 'file';
  readonly headers?: Partial<
    Record<'accept' | 'if-modified-since' | 'if-none-match' | 'if-range' | 'range', string | undefined>
  >;
  /** Aborts the whole exchange, including the reading of the body. */
  readonly signal: AbortSignal;
  /** Called when a connection, or the answer on it, is waited for as long as `hangMilliseconds`, or its body comes slowly; maybe more than once. */
  readonly onHang?: (() => void) | undefined;
  /** Set if the caller reads or destroys the page of a 401 and of a 403, too. */
  readonly readsDenials?: boolean;
}

/** The answer of an upstream, whatever its status: 304, 404, 429 and 5xx are data for the caller. */
export interface UpstreamResponse {
  readonly status: number;
  /** The headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The URL of the answer, after all redirects. Its query may contain a signature, so it must not be logged. */
  readonly url: URL;
  /** The host and status that an error about this answer names. */
  readonly context: FailureContext;
  /** The pause that the upstream asks for. */
  readonly retryAfterSeconds: number | undefined;
  /** The bytes as sent, in their Content-Encoding. It is empty unless the status is 2xx, or a denial that `readsDenials` asks for. It must be read or destroyed. */
  readonly body: Readable;
}

/** Whether a status denies access: the upstream may say why. */
export const isDenial = (status: number): boolean => status === 401 || status === 403;

const dayInSeconds = 86_400;

/** The form of RFC 9110 section 5.6.7. Date.parse alone accepts `-5` as a year. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Parses Retry-After in both forms. The result is at most a day, so that no upstream blocks itself for ever. */
export const retryAfterSecondsOf = (value: string | undefined, now: number): number | undefined => {
  if (value === undefined) return undefined;
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : Math.ceil((httpDate.test(value) ? Date.parse(value) - now : Number.NaN) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), dayInSeconds);
};

/** Drops Set-Cookie, the one header that Node returns as a list: no cookie is ever sent back. */
const headersOf = (message: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(message.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );

/** Makes the answer for the caller, whose errors name `host`. If nobody reads the page of an error, it is dropped here. */
export const responseOf = (
  message: IncomingMessage,
  url: URL,
  limits: Limits,
  { method, signal, onHang, readsDenials = false }: Omit<Ask, 'content' | 'headers' | 'sent'>,
  host = url.host,
): UpstreamResponse => {
  const status = message.statusCode ?? 0;
  const context = { host, status };
  const headers = headersOf(message);
  const isRead = (status >= 200 && status < 300) || (readsDenials && isDenial(status));
  const hasBody = method !== 'HEAD' && isRead;
  if (!hasBody) discard(message);
  const body = hasBody ? new PacedBody(message, context, limits, { signal, onHang }) : Readable.from([]);
  const retryAfterSeconds = retryAfterSecondsOf(headers['retry-after'], Date.now());
  return { status, headers, url, context, retryAfterSeconds, body };
};
