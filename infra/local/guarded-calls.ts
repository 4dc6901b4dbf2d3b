import type { ClientRequest, IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import type { RestCall } from './access-requests.ts';

/** Say why a call may not be made; nothing when it may. */
export interface Checks {
  /** For a call of AWS's JSON protocols, by its `X-Amz-Target` and its body. */
  readonly target: (target: string, body: string) => string | undefined;
  /** For a call of a REST protocol, by the host of the service. */
  readonly rest: ReadonlyMap<string | undefined, (call: RestCall) => string | undefined>;
}

// An import of node:http reads all that it exports, which loads its WebSocket: 25 ms in the thread of each function.
const require = createRequire(import.meta.url);
const http = require('node:http') as typeof import('node:http');
const https = require('node:https') as typeof import('node:https');

const { request: openRequest } = http;

/**
 * Puts a check before every call of AWS that this thread makes; `checksNow` returns those for whoever makes the call. A call that
 * fails its check never leaves: it is answered as AWS would answer. Here rather than in a proxy, which would cost each call
 * another hop.
 */
export const guardCalls = (checksNow: () => Checks): void => {
  for (const module of [http, https]) {
    const { request: open } = module as typeof http;
    const request = (...call: Parameters<typeof open>): ClientRequest => {
      const { target, rest } = checksNow();
      const opened = open(...call);
      // Only AWS's JSON protocols name their operation so. What is neither that nor for a known host is no call of AWS.
      if (opened.hasHeader('x-amz-target')) return guardedByTarget(opened, target);
      const check = rest.get(opened.getHeader('host')?.toString());
      return check ? guardedRestCall(opened, check) : opened;
    };
    const get = (...call: Parameters<typeof open>): ClientRequest => request(...call).end();
    Object.assign(module, { request, get });
  }
};

const guardedByTarget = (request: ClientRequest, check: Checks['target']): ClientRequest => {
  const target = request.getHeader('x-amz-target');
  const end = request.end.bind(request);
  return Object.assign(request, {
    end: (body: string | Uint8Array) => {
      const refusal = check(String(target), typeof body === 'string' ? body : Buffer.from(body).toString());
      if (refusal === undefined) return end(body);
      request.emit('response', accessDenied(refusal));
      return request.destroy();
    },
  });
};

const accessDenied = (message: string): IncomingMessage => {
  const response = new http.IncomingMessage(new Socket());
  response.statusCode = 400;
  response.headers = { 'content-type': 'application/x-amz-json-1.0' };
  response.push(
    JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message, Message: message }),
  );
  response.push(null);
  return response;
};

/** The headers must come with the call, as those that are signed do: the body may follow piece by piece, or never end. */
const guardedRestCall = (request: ClientRequest, check: (call: RestCall) => string | undefined): ClientRequest => {
  const { method, path } = request;
  const header = (name: string) => request.getHeader(name)?.toString();
  const refusal = check({ method, path, header });
  if (refusal === undefined) return request;
  const refused = openRequest({
    method,
    path,
    headers: request.getHeaders(),
    createConnection: () => connectionToRefusal(refusal),
  });
  for (const listener of request.listeners('response')) refused.once('response', listener as () => void);
  // It has sent nothing yet: its connection is not open before this turn of the event loop ends.
  request.on('error', () => {}).destroy();
  return refused;
};

/** The host of a service by which its checks are found. */
export const hostOf = (url: string | undefined): string | undefined => url && new URL(url).host;

/** A connection whose other end takes all that is sent and then refuses it, as S3 does; Lambda names the error in a header. */
const connectionToRefusal = (message: string): Duplex => {
  const [here, there] = duplexPair();
  const text = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const refusal = `<Error><Code>AccessDenied</Code><Message>${text}</Message></Error>`;
  const other = http.createServer((request, response) => {
    response.writeHead(403, { 'Content-Type': 'application/xml', 'x-amzn-errortype': 'AccessDeniedException' });
    request.resume().once('end', () => response.end(`<?xml version="1.0" encoding="UTF-8"?>\n${refusal}`));
  });
  other.emit('connection', there);
  // What the SDK asks of a socket.
  const socket = { setTimeout: () => here, setKeepAlive: () => here, setNoDelay: () => here };
  return Object.assign(here, socket);
};
