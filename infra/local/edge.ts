import {
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { closeAfter } from '../../shared/door/connection-close.ts';
import { hasBody, lengthHeaders, passedHeaders, requestHeaders } from '../../shared/door/headers.ts';
import { relay } from '../../shared/door/responses.ts';
import type { LocalDoor } from './door.ts';
import type { LogSink } from './lambda.ts';
import { ownHostOf } from './request.ts';
import { listen } from './server.ts';

/** Listens on the port. Requests that arrive before the listener is ready wait for it. */
export const listenAsEdge = async (host: string, port: number, listener: Promise<RequestListener>): Promise<Server> => {
  const server = await listen(host, port, listener);
  // A large body may take any time: the door cuts one that does not move.
  server.requestTimeout = 0;
  return server;
};

/**
 * Stands before the API and the door, as the distribution does in a deployment: what has a body goes to the door, where clients may be
 * slow and bodies large, and everything else to the API itself. It logs the failures of the API, as the door logs its own.
 */
export const edgeListener =
  (api: RequestListener, door: LocalDoor, log: LogSink): RequestListener =>
  (request, response) => {
    if (hasBody(request)) return passToDoor(door, request, response);
    response.once('finish', () => {
      const { statusCode: status } = response;
      if (status >= 500) log(JSON.stringify({ level: 'ERROR', message: 'request', status, way: 'api' }), 'edge');
    });
    return api(Object.assign(request, { rawHeaders: rawHeadersOf(requestHeaders(request)) }), response);
  };

const rawHeadersOf = (headers: ReturnType<typeof requestHeaders>): string[] =>
  Object.entries(headers).flatMap(([name, values]) => [values].flat().flatMap((value) => [name, value]));

/** Passes a request on over a connection of its own, and its answer back. If one side hangs up, so does the other. */
const passToDoor = (door: LocalDoor, request: IncomingMessage, response: ServerResponse): void => {
  const call = httpRequest({
    createConnection: () => door.connect(request.socket.remoteAddress ?? ''),
    method: request.method,
    path: request.url,
    headers: {
      host: ownHostOf(request),
      ...passedHeaders(request),
      ...lengthHeaders(request),
      connection: 'close',
    },
  });
  const cut = (): void => void response.destroy();
  call.on('error', cut);
  call.once('response', (answer) => {
    // What comes after an answer is the end of a connection that nobody needs any more.
    call.off('error', cut).on('error', () => {});
    if (!request.complete) {
      request.unpipe(call);
      closeAfter(response);
    }
    // The client has its answer already if its body was broken.
    relay(response, answer).catch(() => {});
  });
  response.once('close', () => call.destroy());
  request.pipe(call);
};
