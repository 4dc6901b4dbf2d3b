import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from './certificate.ts';
import type { Service } from './service.ts';

/** An address over TLS, and the certificate that a client has to trust. */
export interface TlsAddress {
  readonly url: string;
  readonly certificate: string;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Passes all on to a server without TLS. The headers may be changed on both ways. */
const passTo =
  (
    target: () => string,
    changeRequest: (headers: string[]) => string[],
    changeLocation: (location: string) => string,
  ) =>
  (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { hostname, port } = new URL(target());
    const { method, url: path, rawHeaders } = incoming;
    const passed = request({ hostname, port, method, path, headers: changeRequest(rawHeaders) }, (answer) => {
      const { location } = answer.headers;
      const headers = { ...answer.headers, ...(location !== undefined && { location: changeLocation(location) }) };
      outgoing.writeHead(answer.statusCode ?? 502, headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  };

/**
 * Serves the API and its object store over TLS, for clients that send their credentials in no other way. It takes the place of what
 * terminates TLS in AWS: the local service has none. Where the service redirects to, is an address over TLS, too.
 */
export const useTls = (service: Service): TlsAddress => {
  const address: { url?: string; certificate?: string } = {};
  const servers: Server[] = [];
  const start = async (listener: ReturnType<typeof passTo>, keys: { key: string; cert: string }): Promise<Server> => {
    const server = createServer(keys, listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    return server;
  };
  beforeAll(async () => {
    const keys = selfSigned('localhost', '127.0.0.1');
    const storeOrigin = service.store.url;
    // The signature of an address covers its host.
    const signedHost = (headers: string[]): string[] =>
      headers.map((value, index) => (headers[index - 1]?.toLowerCase() === 'host' ? new URL(storeOrigin).host : value));
    const store = await start(
      passTo(
        () => storeOrigin,
        signedHost,
        (location) => location,
      ),
      keys,
    );
    const overTls = (location: string): string =>
      location.startsWith(`${storeOrigin}/`)
        ? `https://localhost:${portOf(store)}${location.slice(storeOrigin.length)}`
        : location.replace(/^http:/, 'https:');
    const api = await start(
      passTo(
        () => service.runner.url,
        (headers) => headers,
        overTls,
      ),
      keys,
    );
    Object.assign(address, { url: `https://127.0.0.1:${portOf(api)}`, certificate: keys.cert });
  });
  afterAll(async () => {
    for (const server of servers) {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    }
  });
  return address as TlsAddress;
};
