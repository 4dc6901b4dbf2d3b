import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError } from './start-error.ts';

const drainMilliseconds = 10_000;
const drainPollMilliseconds = 25;

/** Takes the port. Requests that arrive before the listener is there wait for it. */
export const listen = async (host: string, port: number, listener: Promise<RequestListener>): Promise<Server> => {
  const server = createServer((request, response) => void listener.then((answer) => answer(request, response)));
  // Longer than clients keep a connection, so that none is closed under a request.
  server.keepAliveTimeout = 65_000;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new StartError(sentenceOf((error as NodeJS.ErrnoException).code, host, port));
  }
  return server;
};

const sentenceOf = (code: string | undefined, host: string, port: number): string => {
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken: set PORT to another one, or to 0 for any free one.`;
  if (code === 'EACCES') return `Port ${port} may not be used by this user: set PORT to one above 1023.`;
  return `HOST ${host} cannot be listened on (${code}): set it to an address of this machine, such as 127.0.0.1.`;
};

/** The URL under which the server is reached from this machine. */
export const urlOf = (server: Server): string => {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
};

/** Takes no new request, lets those in flight end, then closes. Does nothing the second time. */
export const drain = async (server: Server): Promise<void> => {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  const idle = setInterval(() => server.closeIdleConnections(), drainPollMilliseconds);
  const late = setTimeout(() => server.closeAllConnections(), drainMilliseconds);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
};
