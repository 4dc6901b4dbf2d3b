import {
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';
import { closeAfter } from '../../shared/door/connection-close.ts';
import { passedHeaders, requestHeaders } from '../../shared/door/headers.ts';
import type { LocalDoor } from './door.ts';
import type { LogSink } from './lambda.ts';
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

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const rawHeadersOf = (headers: ReturnType<typeof requestHeaders>): string[] =>
  Object.entries(headers).flatMap(([name, values]) => [values].flat().flatMap((value) => [name, value]));

/** The length of a message as its sender has given it. */
const lengthOf = ({ headers }: IncomingMessage): Readonly<Record<string, string>> => {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (encoding !== undefined) return { 'transfer-encoding': 'chunked' };
  return length === undefined ? {} : { 'content-length': length };
};

/** Passes a request on over a connection of its own, and its answer back. If one side hangs up, so does the other. */
const passToDoor = (door: LocalDoor, request: IncomingMessage, response: ServerResponse): void => {
  const { localAddress, localPort, remoteAddress = '' } = request.socket;
  const call = httpRequest({
    createConnection: () => door.connect(remoteAddress),
    method: request.method,
    path: request.url,
    headers: {
      host: `${localAddress}:${localPort}`,
      ...passedHeaders(request),
      ...lengthOf(request),
      connection: 'close',
    },
  });
  call.on('error', () => {
    // What comes after an answer is the end of a connection that nobody needs any more.
    if (!response.headersSent) response.destroy();
  });
  call.once('response', (answer) => {
    if (!request.complete) {
      request.unpipe(call);
      closeAfter(response);
    }
    if (response.headersSent) {
      answer.destroy();
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, {
      ...passedHeaders(answer),
      ...lengthOf(answer),
    });
    pipeline(answer, response, () => {});
  });
  response.once('close', () => call.destroy());
  request.pipe(call);
};
