import http, { type ClientRequest, IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { Socket } from 'node:net';

/** Says why a call may not be made, given its `X-Amz-Target` and its body. */
export type Check = (target: string, body: string) => string | undefined;

/**
 * Puts a check before every call of AWS that this thread makes. A call that fails it never leaves: it is answered as AWS
 * would answer. Here rather than in a proxy, which would cost each call another hop.
 */
export const guardCalls = (check: Check): void => {
  for (const module of [http, https]) {
    const { request } = module;
    Object.assign(module, {
      request: (options: RequestOptions, listener: (response: IncomingMessage) => void) =>
        guarded(request(options, listener), check),
    });
  }
};

const guarded = (request: ClientRequest, check: Check): ClientRequest => {
  const target = request.getHeader('x-amz-target');
  // Only AWS's JSON protocols name their operation so; nothing else is a call of AWS that functions make.
  if (target === undefined) return request;
  const end = request.end.bind(request);
  return Object.assign(request, {
    end: (body: string | Uint8Array) => {
      const refusal = check(String(target), Buffer.from(body).toString());
      if (refusal === undefined) return end(body);
      request.emit('response', accessDenied(refusal));
      return request.destroy();
    },
  });
};

const accessDenied = (message: string): IncomingMessage => {
  const response = new IncomingMessage(new Socket());
  response.statusCode = 400;
  response.headers = { 'content-type': 'application/x-amz-json-1.0' };
  response.push(
    JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message, Message: message }),
  );
  response.push(null);
  return response;
};
