import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on a free port of the loopback that stands in for a service of AWS. */
export interface LoopbackServer {
  readonly url: string;
  stop(): void;
}

/** Starts a server, which does not keep the process running. */
export const serveOnLoopback = async (listener: RequestListener): Promise<LoopbackServer> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
