import { once } from 'node:events';
import { createServer, get, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Service } from '../harness/service.ts';

/** A request that went through, and how many bytes of its body. */
export interface WatchedRequest {
  readonly method: string;
  readonly url: string;
  bytes: number;
}

/** An address before the service, which sees what clients send and can cut it. */
export class WatchedAddress {
  readonly requests: WatchedRequest[] = [];
  /** After how many bytes of bodies the next connection breaks, once. */
  cutAfter: number | undefined;
  /** What becomes of a request: it is cut within its body, or answered with a status, and not passed on as a whole. */
  breaks: ((request: WatchedRequest) => 'cut' | number | undefined) | undefined;
  private readonly server: Server;

  /** If it serves itself what the service redirects to, it is like a registry that has its files at one address. */
  constructor(target: () => string, servesRedirects = false) {
    this.server = createServer((incoming, outgoing) => {
      const { hostname, port } = new URL(target());
      const { method = '', url = '', rawHeaders } = incoming;
      const watched = { method, url, bytes: 0 };
      this.requests.push(watched);
      const broken = this.breaks?.(watched);
      if (typeof broken === 'number') {
        incoming.resume().on('end', () => outgoing.writeHead(broken).end('Broken by the test.'));
        return;
      }
      // Another registry knows nothing of the requests of this service.
      const headers = servesRedirects ? withoutVia(rawHeaders) : rawHeaders;
      const passed = request({ hostname, port, method, path: url, headers }, (answer) => {
        const { location } = answer.headers;
        if (servesRedirects && answer.statusCode === 302 && location !== undefined) {
          answer.resume();
          get(location, { method: method === 'HEAD' ? 'HEAD' : 'GET' }, (file) => {
            outgoing.writeHead(file.statusCode ?? 502, file.headers);
            file.pipe(outgoing);
          }).on('error', breakOff);
          return;
        }
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
      });
      const breakOff = (): void => {
        outgoing.destroy();
        passed.destroy();
      };
      passed.on('error', breakOff);
      incoming.on('error', breakOff);
      if (broken === 'cut') {
        passed.flushHeaders();
        incoming.once('data', (chunk: Buffer) => passed.write(chunk.subarray(0, chunk.length / 2), breakOff));
        incoming.once('end', breakOff);
        return;
      }
      incoming.on('data', (chunk: Buffer) => {
        watched.bytes += chunk.length;
        if (this.isCut(chunk.length)) incoming.socket.destroy(new Error('Cut by the test.'));
      });
      incoming.pipe(passed);
    });
  }

  private isCut(bytes: number): boolean {
    if (this.cutAfter === undefined) return false;
    this.cutAfter -= bytes;
    if (this.cutAfter > 0) return false;
    this.cutAfter = undefined;
    return true;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The bytes of bodies that came since the last reset. */
  get bytes(): number {
    return this.requests.reduce((sum, each) => sum + each.bytes, 0);
  }

  reset(): void {
    this.requests.length = 0;
    this.cutAfter = undefined;
    this.breaks = undefined;
  }

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

const withoutVia = (rawHeaders: readonly string[]): string[] =>
  rawHeaders.filter((_, index) => rawHeaders[index - (index % 2)]?.toLowerCase() !== 'via');

/** Watches what the clients of a suite send to the service, at CloudFront where it has that. */
export const useWatchedAddress = (
  service: Pick<Service, 'runner' | 'edge'>,
  servesRedirects = false,
): WatchedAddress => {
  const urlOf = ({ runner, edge }: typeof service): string => (!servesRedirects && edge?.url) || runner.url;
  const address = new WatchedAddress(() => urlOf(service), servesRedirects);
  beforeAll(async () => address.start());
  beforeEach(() => address.reset());
  afterAll(() => address.stop());
  return address;
};
