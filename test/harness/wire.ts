import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

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
      resolve(text(response).then((told) => ({ status, headers: answered, text: told })));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
    return promise;
  }

  close(): void {
    this.agent.destroy();
  }
}
