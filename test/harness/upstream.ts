import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { sha256 } from './bytes.ts';
import type { Service } from './service.ts';

/** A server of the test on the loopback that stands for the upstream of a remote repository. */
export class Upstream {
  /** The requests since it was last reset, oldest first. */
  readonly requests: IncomingMessage[] = [];
  /** How it answers from now on. */
  answer: RequestListener = nothing;
  /** What it does to each new connection, before it reads a request. */
  meet: (socket: Socket) => void = () => undefined;
  private readonly server = createServer((request, response) => {
    this.requests.push(request);
    this.answer(request, response);
  }).on('connection', (socket: Socket) => this.meet(socket));

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  /** Starts at this port, or at one where it can start again after a stop. */
  async start(port?: number): Promise<void> {
    for (let triesLeft = port === undefined ? 20 : 0; ; triesLeft -= 1)
      try {
        // Linux gives connections the ports from 32768 on: none of them takes this one meanwhile.
        this.server.listen(port ?? randomInt(20_000, 32_000), '127.0.0.1');
        await once(this.server, 'listening');
        return;
      } catch (error) {
        if (triesLeft === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      }
  }

  /** Lets the process end while the server still runs. */
  unref(): void {
    this.server.unref();
  }

  reset(): void {
    this.requests.length = 0;
    this.answer = nothing;
    this.meet = () => undefined;
  }

  /** Breaks all answers off. */
  hangUp(): void {
    this.server.closeAllConnections();
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

const nothing: RequestListener = (_request, response) => void response.writeHead(404).end();

/** Answers with this content; to who has it already, by its ETag, with 304. */
export const serving =
  (content: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  ({ headers: { 'if-none-match': known } }, response) => {
    const isKnown = headers.ETag !== undefined && known === headers.ETag;
    response.writeHead(isKnown ? 304 : 200, headers).end(isKnown ? undefined : content);
  };

/** Answers with a piece of two kilobytes every 20 milliseconds, for all of this time; ends as it is told then. */
export const trickling =
  (
    milliseconds: number,
    end = (response: ServerResponse): void => void response.end(),
    letter = 'x',
  ): RequestListener =>
  (_request, response) => {
    const timer = setInterval(() => response.write(letter.repeat(2_000)), 40);
    const over = setTimeout(() => {
      clearInterval(timer);
      end(response);
    }, milliseconds);
    response.on('close', () => {
      clearInterval(timer);
      clearTimeout(over);
    });
  };

/**
 * Answers as another listener does, but so late that a request does not get it in its time for an answer: headers after 43 % of that time,
 * and the content after 112 %. A client of upstreams accepts nothing later for a small document (`limitsWithin`).
 */
export const slowed =
  (answerMilliseconds: number, answer: RequestListener): RequestListener =>
  (request, response) => {
    const writeHead = response.writeHead.bind(response);
    const end = response.end.bind(response);
    let head: Parameters<typeof writeHead> | undefined;
    response.writeHead = ((...parameters: Parameters<typeof writeHead>) => {
      head = parameters;
      return response;
    }) as ServerResponse['writeHead'];
    response.end = ((content?: string | Uint8Array) => {
      setTimeout(() => {
        if (head) writeHead(...head);
        response.flushHeaders();
      }, 0.43 * answerMilliseconds);
      setTimeout(() => end(content), 1.12 * answerMilliseconds);
      return response;
    }) as ServerResponse['end'];
    answer(request, response);
  };

/** Answers with this status and nothing else. */
export const refusing =
  (status: number, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, headers).end();

/** An upstream for the tests of a file, which each test finds without content and without requests. */
export const useUpstream = (): Upstream => {
  const upstream = new Upstream();
  beforeAll(() => upstream.start());
  beforeEach(() => upstream.reset());
  afterAll(() => upstream.stop());
  return upstream;
};

/** Answers as a registry of its own what a local repository has: with its own addresses in documents, and an ETag. */
export const mirrorOf = (
  { runner, edge }: Pick<Service, 'runner'> & Partial<Pick<Service, 'edge'>>,
  upstream: Upstream,
  as: string,
): RequestListener => {
  const answer = async (...[request, response]: Parameters<RequestListener>): Promise<void> => {
    const { url = '/', headers } = request;
    const found = await fetch(runner.url + url, { headers: { Authorization: as, Accept: headers.accept ?? '*/*' } });
    if (found.status !== 200) {
      response.writeHead(found.status).end();
      return;
    }
    const bytes = Buffer.from(await found.arrayBuffer());
    const type = found.headers.get('content-type') ?? '';
    const isText = /json|text|xml|yaml/.test(type);
    const content = isText ? bytes.toString().replaceAll(edge?.url ?? runner.url, upstream.url) : bytes;
    const digest = found.headers.get('docker-content-digest');
    const sent = { ETag: `"${sha256(content)}"`, 'Content-Type': type };
    serving(content, { ...sent, ...(digest !== null && { 'Docker-Content-Digest': digest }) })(request, response);
  };
  return (request, response) => void answer(request, response).catch(() => response.destroy());
};
