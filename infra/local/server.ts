import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpServer } from '../../shared/http/http-server.ts';
import { sendAnswersBeforeClosing } from '../../shared/idle-connections.ts';
import { gatewayResponse } from '../api/gateway-responses.ts';
import { sendGatewayResponse } from './response.ts';
import { StartError } from './start-error.ts';

/** How long a server that closes waits for what is in flight. */
export const drainMilliseconds = 10_000;

/** Listens on the port. Requests that arrive before the listener is ready wait for it. */
export const listen = async (
  host: string,
  port: number,
  listener: Promise<RequestListener>,
  setting = 'PORT',
): Promise<Server> => {
  const server = createHttpServer(
    (request, response) => void listener.then((answer) => answer(request, response)),
    (response, { code, message }) => sendGatewayResponse(response, randomUUID(), gatewayResponse(code, message)),
  );
  sendAnswersBeforeClosing(server);
  // Longer than clients keep an idle connection, so that the server closes none while a request arrives.
  server.keepAliveTimeout = 65_000;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new StartError(sentenceOf((error as NodeJS.ErrnoException).code, host, port, setting));
  }
  return server;
};

/** Why an address cannot be listened on, and what to do. */
const sentenceOf = (code: string | undefined, host: string, port: number, setting = 'PORT'): string => {
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken: set ${setting} to another one, or to 0 for any free one.`;
  if (code === 'EACCES') return `Port ${port} may not be used by this user: set ${setting} to one above 1023.`;
  return `HOST ${host} cannot be listened on (${code}): set it to an address of this machine, such as 127.0.0.1.`;
};

/** The URL of an address for programs on this machine. */
const urlOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;

/** The URL of a server for programs on this machine. */
export const urlOfServer = (server: Server): string => urlOf(server.address() as AddressInfo);

/** Accepts no new requests, waits for those in flight, then closes. A second call does nothing. */
export const drain = async (server: Server): Promise<void> => {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  const late = setTimeout(() => server.closeAllConnections(), drainMilliseconds);
  await closed;
  clearTimeout(late);
};
