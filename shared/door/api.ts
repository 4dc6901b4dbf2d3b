import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { doorSettings } from '../door-settings.ts';
import { ApiError } from '../errors.ts';
import { lengthHeaders, requestHeaders, targetOf } from './headers.ts';
import type { IncomingBody } from './incoming-body.ts';

/** API Gateway answers within 29 seconds after a request. */
const answerMilliseconds = 40_000;

/** An idle connection is not used again after this: API Gateway may be about to close it. */
const idleMilliseconds = 15_000;

const agents = {
  'http:': new http.Agent({ keepAlive: true, timeout: idleMilliseconds }),
  'https:': new https.Agent({ keepAlive: true, timeout: idleMilliseconds }),
} as const;

/** What the API behind the door is sent for a request of a client. */
export interface ApiCall {
  readonly request: IncomingMessage;
  /** In addition to those of the client, or instead of them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** By default, none is sent. */
  readonly body?: Buffer | IncomingBody;
}

const lost = (cause: unknown): ApiError =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    'The service behind this address does not answer. Send the request again later.',
    [],
    { cause },
  );

const lengthOf = ({ request, body }: ApiCall): Record<string, string> => {
  if (body === undefined || Buffer.isBuffer(body)) return { 'content-length': String(body?.length ?? 0) };
  return body.isPresent ? lengthHeaders(request) : {};
};

const open = (call: ApiCall): ClientRequest => {
  const { request, headers } = call;
  const { protocol, hostname, port, pathname, host } = doorSettings.apiUrl;
  const isSecure = protocol === 'https:';
  return (isSecure ? https : http).request({
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    method: request.method,
    path: pathname.replace(/\/$/, '') + targetOf(request),
    // Without a public URL, the functions find the one of the client in its headers.
    headers: {
      ...requestHeaders(request),
      ...((doorSettings.publicUrl || !request.headers.host) && { host }),
      ...headers,
      ...lengthOf(call),
    },
    agent: agents[isSecure ? 'https:' : 'http:'],
  });
};

/** Sends the body of a client on. After an early answer it is read to its end all the same. */
const feed = async (call: ClientRequest, body: IncomingBody): Promise<void> => {
  for await (const piece of body.rest()) {
    if (call.destroyed || call.write(piece)) continue;
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        call.off('drain', goOn).off('close', goOn);
        resolve();
      };
      call.on('drain', goOn).on('close', goOn);
    });
  }
  call.end();
};

/**
 * Calls the API and returns the head of its answer, when the body of the client was read to its end. Throws SERVICE_UNAVAILABLE if
 * the API does not answer, and ClientGone.
 */
export const callApi = async (call: ApiCall): Promise<IncomingMessage> => {
  const sent = open(call);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  sent.once('response', resolve).on('error', reject);
  // Whoever waits for the answer hears of it; until then nobody does.
  promise.catch(() => {});
  try {
    if (call.body === undefined || Buffer.isBuffer(call.body)) sent.end(call.body);
    else await feed(sent, call.body);
  } catch (error) {
    sent.destroy();
    throw error;
  }
  const timer = setTimeout(() => sent.destroy(new Error('The API is silent.')), answerMilliseconds);
  try {
    return await promise;
  } catch (error) {
    throw lost(error);
  } finally {
    clearTimeout(timer);
  }
};

/** An answer that was read to its end. */
export interface WholeAnswer {
  readonly head: IncomingMessage;
  readonly content: Buffer;
}

/** Calls the API and reads its answer, of which a function gives at most 6 MB. */
export const callApiWhole = async (call: ApiCall): Promise<WholeAnswer> => {
  const head = await callApi(call);
  try {
    return { head, content: await buffer(head) };
  } catch (error) {
    throw lost(error);
  }
};
