import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, isIPv4 } from 'node:net';
import type { Service } from './service.ts';

const der = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  const long = content.length > 255 ? [0x82, content.length >> 8, content.length & 255] : [0x81, content.length];
  return Buffer.concat([Buffer.from([tag, ...(content.length < 128 ? [content.length] : long)]), content]);
};

const sequence = (...contents: readonly Uint8Array[]): Buffer => der(0x30, ...contents);
const objectId = (hexadecimal: string): Buffer => der(6, Buffer.from(hexadecimal, 'hex'));
const utcTime = (date: Date): Buffer =>
  der(0x17, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`));

const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
const commonName = sequence(der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from('upstream')))));
const hour = 3_600_000;

/** The part of a certificate that is signed (RFC 5280 section 4.1), for an hour from now and an hour back. */
const unsignedPart = (publicKey: KeyObject, names: readonly string[]): Buffer => {
  const alternatives = sequence(
    ...names.map((name) =>
      isIPv4(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name)),
    ),
  );
  return sequence(
    der(0xa0, der(2, Buffer.from([2]))),
    der(2, Buffer.from([1])),
    ecdsaWithSha256,
    commonName,
    sequence(utcTime(new Date(Date.now() - hour)), utcTime(new Date(Date.now() + hour))),
    commonName,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(objectId('551d11'), der(4, alternatives)))),
  );
};

/** A new key and a certificate for names, which it signs itself: Node reads certificates but makes none. */
export const selfSigned = (...names: readonly string[]): { readonly key: string; readonly cert: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const unsigned = unsignedPart(publicKey, names);
  const signature = sign('sha256', unsigned, privateKey);
  const certificate = sequence(unsigned, ecdsaWithSha256, der(3, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
};

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
    changeLocation: (location: URL, host: string | undefined) => string,
  ) =>
  (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { hostname, port } = new URL(target());
    const { method, url: path, rawHeaders } = incoming;
    const passed = request({ hostname, port, method, path, headers: changeRequest(rawHeaders) }, (answer) => {
      const { location } = answer.headers;
      const changed =
        location && URL.canParse(location) ? changeLocation(new URL(location), incoming.headers.host) : location;
      outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...(changed && { location: changed }) });
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  };

const close = async (server: Server): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
};

/**
 * Serves an API and its object store over TLS, for clients that send their credentials in no other way. It takes the place of what
 * terminates TLS in AWS: the local service has none. The store is the one other host to which the API redirects.
 */
export const startTls = async (apiUrl: () => string): Promise<TlsAddress & { readonly stop: () => Promise<void> }> => {
  const keys = selfSigned('localhost', '127.0.0.1');
  const servers: Server[] = [];
  const start = async (listener: ReturnType<typeof passTo>): Promise<Server> => {
    const server = createServer({ key: keys.key, cert: keys.cert }, listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    return server;
  };
  let storeOrigin = '';
  // The signature of an address covers its host.
  const signedHost = (headers: string[]): string[] =>
    headers.map((value, index) => (headers[index - 1]?.toLowerCase() === 'host' ? new URL(storeOrigin).host : value));
  const store = await start(
    passTo(
      () => storeOrigin,
      signedHost,
      ({ href }) => href,
    ),
  );
  const overTls = ({ origin, host, href }: URL, asked: string | undefined): string => {
    const rest = href.slice(origin.length);
    if (host === asked || host === new URL(apiUrl()).host) return `https://${asked}${rest}`;
    storeOrigin = origin;
    return `https://localhost:${portOf(store)}${rest}`;
  };
  const api = await start(passTo(apiUrl, (headers) => headers, overTls));
  const stop = async (): Promise<void> => {
    for (const server of servers) await close(server);
  };
  return { url: `https://127.0.0.1:${portOf(api)}`, certificate: keys.cert, stop };
};

/** The address over TLS of the service of a suite: of what its clients call, unless another one is given. */
export const useTls = (service: Service, urlOf = ({ url }: Service): string => url): TlsAddress => {
  const address: Partial<Awaited<ReturnType<typeof startTls>>> = {};
  beforeAll(async () => {
    Object.assign(address, await startTls(() => urlOf(service)));
  });
  afterAll(() => address.stop?.());
  return address as TlsAddress;
};
