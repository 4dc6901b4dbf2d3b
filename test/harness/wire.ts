import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';

/** A request byte for byte: the path as it stands on the wire, header lines in order, also twice the same name. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array;
}

/** An answer as it came. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The service ends an idle connection after 65 s. On a busy machine, the end and the next request must not meet. */
const idleMilliseconds = 30_000;

/** Sends requests to one base URL over kept connections. */
export class Wire {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 128, timeout: idleMilliseconds });
  readonly baseUrl: string;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  async send({ method, path, headers = [], body }: WireRequest): Promise<Reply> {
    const { hostname, port, host, pathname } = new URL(this.baseUrl);
    const lines = headers.some(([name]) => name === 'Host') ? [...headers] : [['Host', host] as const, ...headers];
    if (body !== undefined) lines.push(['Content-Length', String(Buffer.byteLength(body))]);
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const options = { agent: this.agent, hostname, port, method, path: pathname.replace(/\/$/, '') + path };
    const outgoing = request({ ...options, headers: lines.flat() }, (response) => {
      const { statusCode: status = 0, headers: answered } = response;
      resolve(textOf(response).then((told) => ({ status, headers: answered, text: told })));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
    return promise;
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Sends bytes over a connection of their own, closes its side, and reads every reply until the service has closed its. */
export const exchange = async (url: string, bytes: string): Promise<Reply[]> => {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Reply[]>();
  const chunks: Buffer[] = [];
  const socket = connect({ host: hostname, port: Number(port) }, () => socket.end(bytes, 'latin1'));
  socket.on('data', (chunk) => chunks.push(chunk));
  // What the service does not read to its end is reset once its reply has gone out.
  socket.on('error', (error) => (chunks.length === 0 ? reject(error) : undefined));
  socket.on('close', () => resolve(repliesIn(Buffer.concat(chunks).toString('latin1'))));
  return promise;
};

const repliesIn = (received: string): Reply[] => {
  if (received === '') return [];
  const end = received.indexOf('\r\n\r\n') + 4;
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(received) ?? [];
  if (status === undefined || end < 4) throw new Error(`This is no reply: ${received.slice(0, 200)}`);
  const headers = headersIn(received.slice(0, end));
  const bodyEnd = end + Number(headers['content-length'] ?? 0);
  const text = Buffer.from(received.slice(end, bodyEnd), 'latin1').toString();
  return [{ status: Number(status), headers, text }, ...repliesIn(received.slice(bodyEnd))];
};

const headersIn = (head: string): IncomingHttpHeaders =>
  Object.fromEntries(
    Array.from(head.matchAll(/^([^:\r\n]+): ([^\r\n]*)/gm), ([, name = '', value]) => [name.toLowerCase(), value]),
  );
