import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Answers with these bytes in place of HTTP of Node, and ends the connection. */
export const sendingBytes =
  (...bytes: readonly string[]): RequestListener =>
  (request) =>
    void request.socket.end(bytes.join(''));

/** The first line of a success, and lines of headers after it. */
export const head = (...lines: readonly string[]): string => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');

/** Does something again and again, until the connection ends. */
const repeating = (socket: Socket, milliseconds: number, act: () => void): void => {
  const timer = setInterval(act, milliseconds);
  socket.on('close', () => clearInterval(timer));
};

/** A byte a tenth of a second, which is a byte a second for who waits ten times as long. */
export const dripping: RequestListener = ({ socket }, response) => repeating(socket, 100, () => response.write('x'));

/** One header that never ends, a byte at a time. */
export const slowHeaders: RequestListener = ({ socket }) => {
  socket.write('HTTP/1.1 200 OK\r\nX: ');
  repeating(socket, 100, () => socket.write('x'));
};

export const endlessHeaders: RequestListener = ({ socket }) => {
  socket.write('HTTP/1.1 200 OK\r\n');
  repeating(socket, 5, () => socket.write('X-Name: value\r\n'.repeat(200)));
};

/** Sends as fast as it is read. */
export const endlessBody: RequestListener = (_, response) => {
  const piece = Buffer.alloc(1024 * 1024, ' ');
  const write = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', write);
  write();
};

export const shorter: RequestListener = (_, response) => {
  response.writeHead(200, { 'Content-Length': '100' });
  response.write('half', () => response.destroy());
};

/** Without a length, only the reset says that the answer is not whole. */
export const resetAfterHeaders: RequestListener = ({ socket }) => {
  socket.write(`${head('Connection: close')}half`);
  setTimeout(() => socket.resetAndDestroy(), 30);
};

export const resettingRequest: RequestListener = ({ socket }) => void socket.resetAndDestroy();

/** Leads to the same place, with a query that grows from one redirect to the next. */
export const chained: RequestListener = (request, response) =>
  void response.writeHead(302, { Location: `${request.url}${request.url?.includes('?') ? '&' : '?'}next` }).end();

export const around: RequestListener = (request, response) =>
  void response.writeHead(302, { Location: String(request.url) }).end();
