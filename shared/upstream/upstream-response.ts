import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Limits } from './limits.ts';
import { PacedBody } from './paced-body.ts';
import type { Place } from './upstream-error.ts';

/** What is asked for; only these headers ever go along, so that no redirect can carry a secret away. */
export interface Ask {
  readonly method?: 'GET' | 'HEAD';
  /** Metadata may come compressed; a file comes as its bytes are, since its hash was made of them. */
  readonly content: 'metadata' | 'file';
  readonly headers?: Partial<
    Record<'accept' | 'if-modified-since' | 'if-none-match' | 'if-range' | 'range', string | undefined>
  >;
  /** Ends the whole of it, the reading of the body too. */
  readonly signal: AbortSignal;
}

/** The answer of an upstream, whatever its status: 304, 404, 429 and 5xx are data for the caller. */
export interface UpstreamResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Where the answer came from after all redirects. Its query may hold a signature: not for logs. */
  readonly url: URL;
  /** What an error about this answer names. */
  readonly place: Place;
  /** How long the upstream asks to be left alone. */
  readonly retryAfterSeconds: number | undefined;
  /** The bytes as sent, in their Content-Encoding; empty unless the status is 2xx. It must be read or destroyed. */
  readonly body: Readable;
}

const dayInSeconds = 86_400;

/** RFC 9110 section 5.6.7; Date.parse alone takes `-5` for a year. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Reads Retry-After in both of its forms; at most a day, so that no upstream blocks itself for ever. */
export const retryAfterSecondsOf = (value: string | undefined, now: number): number | undefined => {
  if (value === undefined) return undefined;
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : Math.ceil((httpDate.test(value) ? Date.parse(value) - now : Number.NaN) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), dayInSeconds);
};

/** Set-Cookie, the one header that Node gives as a list, is dropped: no cookie is ever sent back. */
const headersOf = (message: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(message.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );

/** Gives an answer to the caller. The page of an error is nothing that anybody passes on, so its connection ends here. */
export const responseOf = (
  message: IncomingMessage,
  url: URL,
  limits: Limits,
  { method, signal }: Pick<Ask, 'method' | 'signal'>,
): UpstreamResponse => {
  const status = message.statusCode ?? 0;
  const place = { host: url.host, status };
  const headers = headersOf(message);
  const hasBody = method !== 'HEAD' && status >= 200 && status < 300;
  if (!hasBody) message.destroy();
  const body = hasBody ? new PacedBody(message, place, limits, signal) : Readable.from([]);
  const retryAfterSeconds = retryAfterSecondsOf(headers['retry-after'], Date.now());
  return { status, headers, url, place, retryAfterSeconds, body };
};
