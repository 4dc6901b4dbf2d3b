import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** What can go wrong between a function, or a client, and the object store. */
export type ObjectStoreFault = 'drop' | 'commit-then-drop' | 'slow-down' | 'conflict' | 'full' | 'hang';

/** A fault that waits for its call. */
export interface ObjectStoreInjection {
  readonly fault: ObjectStoreFault;
  readonly method?: string;
  readonly keyPrefix?: string;
  /** Only calls that change something. */
  readonly changes?: boolean;
  /** Lets so many matching calls pass first. */
  readonly after?: number;
  /** Hits so many matching calls; all that follow when absent. */
  readonly times?: number;
}

/** One call of the object store. */
export interface ObjectStoreCall {
  readonly method: string;
  /** Empty when the call is about the bucket. */
  readonly key: string;
  /** When it came, to order it among the calls of others. */
  readonly startedAt: number;
  /** The status that the caller saw; undefined while it waits and when it saw none. */
  status?: number;
}

const refusals = {
  full: { status: 507, code: 'InsufficientStorage', message: 'The disk of the object store is full.' },
  'slow-down': { status: 503, code: 'SlowDown', message: 'Please reduce your request rate.' },
  conflict: { status: 409, code: 'ConditionalRequestConflict', message: 'A conflicting operation is in progress.' },
} as const;

/** Only a write with a condition can meet a conflict. */
const isPossible = (fault: ObjectStoreFault, { method, headers }: IncomingMessage): boolean =>
  fault !== 'conflict' ||
  (method !== 'GET' && method !== 'HEAD' && Boolean(headers['if-match'] ?? headers['if-none-match']));

const readCall = ({ method = '', url = '' }: IncomingMessage): ObjectStoreCall => {
  const [, key = ''] = /^\/[^/?]*\/([^?]*)/.exec(url) ?? [];
  return { method, key: decodeURIComponent(key), startedAt: performance.now() };
};

/**
 * Stands between everybody and the object store, which never fails by itself. It records each call and passes every byte
 * on as it came, the Host header too: signatures hold.
 */
export class ObjectStoreProxy {
  /** Every call since the last `forget`. */
  readonly calls: ObjectStoreCall[] = [];
  private injections: { injection: ObjectStoreInjection; seen: number }[] = [];
  private readonly agent = new Agent({ keepAlive: true });
  private readonly server: Server;
  private readonly storePort: string;

  private constructor(storeUrl: string) {
    this.storePort = new URL(storeUrl).port;
    this.server = createServer((incoming, outgoing) => {
      // Whichever side hangs up, the other one sees it.
      this.handle(incoming, outgoing).catch(() => incoming.socket.destroy());
    });
    // As long as the store keeps an idle connection: its answers, which say so, are passed on.
    this.server.keepAliveTimeout = 65_000;
  }

  static async start(storeUrl: string): Promise<ObjectStoreProxy> {
    const proxy = new ObjectStoreProxy(storeUrl);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  forget(): void {
    this.calls.length = 0;
  }

  /** Lets the calls that match meet a fault. */
  inject(...injections: readonly ObjectStoreInjection[]): void {
    this.injections.push(...injections.map((injection) => ({ injection, seen: 0 })));
  }

  /** Ends all faults. */
  heal(): void {
    this.injections = [];
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    this.agent.destroy();
  }

  private async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const call = readCall(incoming);
    this.calls.push(call);
    const fault = this.nextFault(call, incoming);
    if (fault === 'hang') return;
    if (fault === 'drop') {
      incoming.socket.destroy();
      return;
    }
    if (fault === 'slow-down' || fault === 'conflict' || fault === 'full') {
      const { status, code, message } = refusals[fault];
      call.status = status;
      incoming.resume();
      outgoing.writeHead(status, { 'Content-Type': 'application/xml' });
      outgoing.end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
      return;
    }
    const response = await this.forward(incoming);
    if (fault === 'commit-then-drop') {
      response.destroy();
      incoming.socket.destroy();
      return;
    }
    call.status = response.statusCode;
    outgoing.writeHead(response.statusCode ?? 0, response.rawHeaders);
    await pipeline(response, outgoing);
  }

  private nextFault(call: ObjectStoreCall, incoming: IncomingMessage): ObjectStoreFault | undefined {
    let fault: ObjectStoreFault | undefined;
    for (const entry of this.injections) {
      const { method = call.method, keyPrefix = '', changes = false, after = 0, times = Infinity } = entry.injection;
      if (changes && (call.method === 'GET' || call.method === 'HEAD')) continue;
      if (method !== call.method || !call.key.startsWith(keyPrefix)) continue;
      if (!isPossible(entry.injection.fault, incoming)) continue;
      entry.seen += 1;
      if (entry.seen > after && entry.seen <= after + times) fault ??= entry.injection.fault;
    }
    return fault;
  }

  private async forward(incoming: IncomingMessage): Promise<IncomingMessage> {
    const { method, url: path, rawHeaders: headers } = incoming;
    const outgoing = request({ host: '127.0.0.1', port: this.storePort, method, path, headers, agent: this.agent });
    const [[response]] = await Promise.all([
      once(outgoing, 'response') as Promise<[IncomingMessage]>,
      pipeline(incoming, outgoing),
    ]);
    return response;
  }
}
