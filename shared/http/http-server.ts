import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '../errors.ts';
import { hasItsHost } from './host.ts';

const headerBytesMax = 16 * 1024;

const refusals = {
  malformed: new ApiError(
    'REQUEST_INVALID',
    'The request is not well-formed HTTP/1.1, so the connection is closed. Correct the request line, the headers and the length of the body.',
  ),
  headersTooLarge: new ApiError(
    'REQUEST_INVALID',
    `The request line and the headers must be at most ${headerBytesMax / 1024} KiB together.`,
  ),
  late: new ApiError('REQUEST_INVALID', 'The request did not arrive in time. Send it again.'),
  host: new ApiError(
    'REQUEST_INVALID',
    'The request must have exactly one Host header: a host name, and a port if it has one.',
  ),
  coding: new ApiError(
    'REQUEST_INVALID',
    "The only transfer coding of a body that is understood is 'chunked'. Send the body as it is, not compressed.",
  ),
  expectation: new ApiError(
    'REQUEST_INVALID',
    "The only expectation that can be met is '100-continue'. Send the request without its Expect header.",
  ),
  connect: new ApiError('ROUTE_NOT_FOUND'),
};

/** How a server sends a refusal. */
type SendRefusal = (response: ServerResponse, refusal: ApiError) => void;

/** A client that still sends would meet a reset instead of the answer if its connection were closed at once. */
const lingerMilliseconds = 1_000;

/** An HTTP server whose every refusal has the problem body, also of what Node refuses before any request. */
export const createHttpServer = (listener: RequestListener, send: SendRefusal, options: ServerOptions = {}): Server => {
  const { refuse, refuseConnection } = refusing(send);
  // Answers leave in the order of the requests, so the latest one of a connection is its last.
  const latest = new WeakMap<Duplex, ServerResponse>();
  const server = createServer(
    { ...options, maxHeaderSize: headerBytesMax, requireHostHeader: false },
    (request, response) => {
      latest.set(request.socket, response);
      if (request.headers.upgrade !== undefined) onCutBody(request, () => refuseBroken(request.socket));
      if (!hasItsHost(request)) refuse(response, refusals.host);
      else if (!isReadable(request)) refuse(response, refusals.coding);
      else listener(request, response);
    },
  );
  // By default, Node closes both directions when a client has sent all it wants to send, and drops the answers.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    latest.set(request.socket, response);
    refuse(response, refusals.expectation);
  });
  server.on('connect', (_, socket) => {
    refuseConnection(socket as Socket, latest.get(socket), refusals.connect);
  });
  const broken = new WeakSet<Duplex>();
  const refuseBroken = (socket: Duplex, error: NodeJS.ErrnoException = new Error('The body has no end.')): void => {
    const isKnown = broken.has(socket);
    broken.add(socket);
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else if (!isKnown) refuseConnection(socket as Socket, latest.get(socket), refusalOf(error));
  };
  server.on('clientError', (error, socket) => refuseBroken(socket, error));
  return server;
};

/** Whether the bytes of the body are what the client means: Node undoes no other transfer coding (RFC 9112 section 6.1). */
const isReadable = ({ headers: { 'transfer-encoding': coding = 'chunked' } }: IncomingMessage): boolean =>
  coding.toLowerCase() === 'chunked';

/**
 * Calls back if the client closes its side in the middle of the body. Node itself tells no error of a request that offers an upgrade,
 * as Java's client does with each: nothing would answer a body that is broken.
 */
const onCutBody = (request: IncomingMessage, refuse: () => void): void => {
  const { socket } = request;
  const check = (): void => {
    if (!request.complete) refuse();
  };
  socket.once('end', check);
  request.once('close', () => socket.off('end', check));
};

const refusalOf = ({ code }: NodeJS.ErrnoException): ApiError => {
  if (code === 'HPE_HEADER_OVERFLOW') return refusals.headersTooLarge;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? refusals.late : refusals.malformed;
};

const refusing = (send: SendRefusal) => {
  const refuse = (response: ServerResponse, refusal: ApiError): void => {
    response.shouldKeepAlive = false;
    send(response, refusal);
  };

  /** Answers what a connection ends with, after the answers of the requests before it. */
  const refuseConnection = (socket: Socket, latest: ServerResponse | undefined, refusal: ApiError): void => {
    // What is broken is the body of the latest request, so the refusal is the answer to that.
    if (latest && !latest.req.complete) {
      // Node lets whoever reads that body wait for ever once it was answered.
      socket.once('close', () => latest.req.destroy());
      if (latest.headersSent) socket.destroy();
      else refuse(latest, refusal);
      return;
    }
    const answer = () => {
      if (!socket.writable) return;
      const request = Object.assign(new IncomingMessage(socket), { httpVersionMajor: 1, httpVersionMinor: 1 });
      const response = new ServerResponse(request);
      response.assignSocket(socket);
      response.once('finish', () => {
        socket.end();
        setTimeout(() => socket.destroy(), lingerMilliseconds);
      });
      refuse(response, refusal);
    };
    socket.on('error', () => socket.destroy());
    // At the end of what the client sends, Node would close the connection after the latest answer.
    socket.removeAllListeners('end').resume();
    if (latest && !latest.closed) latest.once('close', answer);
    else answer();
  };
  return { refuse, refuseConnection };
};
