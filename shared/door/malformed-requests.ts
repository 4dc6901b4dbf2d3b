import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { ApiError } from '../errors.ts';
import { problemResponse } from '../http/response.ts';

const sentence =
  'The request is not well-formed HTTP/1.1, so the connection is closed. Correct the request line, the headers and the length of the body.';

/** Answers what Node cannot parse, and so makes no request of, with the problem body of every refusal. */
export const answerMalformed = (server: Server): void => {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const { headers = {}, body } = problemResponse(new ApiError('REQUEST_INVALID', sentence), randomUUID());
    const length = { 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
    const lines = Object.entries({ ...headers, ...length }).map(([name, value]) => `${name}: ${String(value)}`);
    socket.end(['HTTP/1.1 400 Bad Request', ...lines, '', body].join('\r\n'));
  });
};
