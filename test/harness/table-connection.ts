import type { IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { TableAnswer } from './table-calls.ts';

/** A request of the SDK, which tells the length of each. */
export interface SentRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** All of it, as it came. */
  readonly bytes: Buffer;
}

const endOfHead = '\r\n\r\n';

/** The first request in what has come so far, if it is there whole. */
const requestIn = (received: Buffer): SentRequest | undefined => {
  const headLength = received.indexOf(endOfHead);
  if (headLength < 0) return undefined;
  const [, ...lines] = received.toString('latin1', 0, headLength).split('\r\n');
  const headers: IncomingHttpHeaders = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const start = headLength + endOfHead.length;
  const end = start + Number(headers['content-length'] ?? 0);
  if (received.length < end) return undefined;
  return { headers, body: received.toString('utf8', start, end), bytes: received.subarray(0, end) };
};

/** Where the status stands in an answer of HTTP/1.1. */
const statusIn = (answer: Buffer): number => Number(answer.toString('latin1', 9, 12));

/**
 * A connection of a function to the proxy, and its own one from there to the engine. What passes unchanged is not made anew from
 * parsed messages, which would take most of the proxy's time.
 */
export class TableConnection {
  private readonly client: Socket;
  private readonly engineUrl: URL;
  private engine: Socket | undefined;
  private received: Buffer = Buffer.alloc(0);
  /** Set from a request that was passed on until its answer begins. */
  private hearStatus: ((status: number) => void) | undefined;

  constructor(client: Socket, engineUrl: URL, handle: (request: SentRequest) => void) {
    this.client = client;
    this.engineUrl = engineUrl;
    client.on('data', (chunk) => {
      this.received = this.received.length > 0 ? Buffer.concat([this.received, chunk]) : chunk;
      for (let request = requestIn(this.received); request; request = requestIn(this.received)) {
        this.received = this.received.subarray(request.bytes.length);
        handle(request);
      }
    });
    client.on('error', () => client.destroy());
    // The engine does to its end what it has begun, as the table does for a client that is gone.
    client.on('close', () => {
      if (!this.hearStatus) this.engine?.destroy();
    });
  }

  /** Passes a request and its answer on, byte for byte; `hearStatus` is told the status before the function has the answer. */
  pass({ bytes }: SentRequest, hearStatus: (status: number) => void): void {
    this.hearStatus = hearStatus;
    this.engine ??= this.connectToEngine();
    this.engine.write(bytes);
  }

  answer({ status, body }: TableAnswer): void {
    const head = [
      `HTTP/1.1 ${status} Answer`,
      'Content-Type: application/x-amz-json-1.0',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    this.client.write(head.join('\r\n') + endOfHead + body);
  }

  /** Hangs up without an answer. */
  drop(): void {
    this.client.destroy();
  }

  private connectToEngine(): Socket {
    const { port, hostname } = this.engineUrl;
    const engine = connect({ port: Number(port), host: hostname, noDelay: true });
    engine.on('data', (chunk) => {
      this.hearStatus?.(statusIn(chunk));
      this.hearStatus = undefined;
      if (this.client.destroyed) engine.destroy();
      else this.client.write(chunk);
    });
    engine.on('error', () => engine.destroy());
    engine.on('close', () => {
      this.engine = undefined;
      if (this.hearStatus) this.drop();
    });
    return engine;
  }
}
