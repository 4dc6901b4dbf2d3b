import { EventEmitter } from 'node:events';
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, type RequestOptions } from 'node:http';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { findSecret } from '../harness/secrets.ts';
import { brokenLaw, isCount, readCall, type TableRequest } from '../harness/table-calls.ts';

const http = createRequire(import.meta.url)('node:http') as typeof import('node:http');
const { request: openRequest } = http;

/** An answer of the table. */
interface Answer {
  readonly status: number;
  readonly body: string;
}

type Ask = (headers: OutgoingHttpHeaders, body: string) => Answer | Promise<Answer>;

/** Stands in for the request that the SDK makes: its answer needs no socket. */
class CallWithoutSocket extends EventEmitter {
  readonly socket = { connecting: false };
  private readonly headers: OutgoingHttpHeaders;
  private readonly ask: Ask;

  constructor(headers: OutgoingHttpHeaders, ask: Ask) {
    super();
    this.headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    this.ask = ask;
  }

  hasHeader(name: string): boolean {
    return name in this.headers;
  }

  getHeader(name: string): OutgoingHttpHeaders[string] {
    return this.headers[name];
  }

  setTimeout(): this {
    return this;
  }

  setSocketKeepAlive(): void {}

  destroy(): this {
    return this;
  }

  end(body: string | Uint8Array): void {
    void this.answer(typeof body === 'string' ? body : Buffer.from(body).toString());
  }

  private async answer(sent: string): Promise<void> {
    try {
      const { status, body } = await this.ask(this.headers, sent);
      const response = new Readable({ read: () => {} });
      response.push(body);
      response.push(null);
      const headers = { 'content-type': 'application/x-amz-json-1.0' };
      this.emit('response', Object.assign(response, { statusCode: status, headers }));
    } catch (error) {
      this.emit('error', error);
    }
    this.emit('close');
  }
}

/**
 * The table as the function of this thread sees it. What the function reads again, and nobody has changed since, is not
 * read again: the same bytes come without a trip to the engine. The function must be the only one that changes the table.
 */
export class WatchedTable {
  /** The writes that the table accepted and nobody has looked at yet, but for the counts of passwords, which refusals write. */
  readonly writes: string[] = [];
  /** What broke a law of the table. */
  readonly violations: string[] = [];
  private readonly known = new Map<string, Answer>();
  private readonly agent = new Agent({ keepAlive: true });
  private readonly engineUrl: string;
  private hasOtherWriters = false;

  /** Watches all calls that this thread makes from now on. */
  constructor(engineUrl: string, othersUrl: string) {
    this.engineUrl = engineUrl;
    const others = new URL(othersUrl).host;
    const ask: Ask = (headers, body) => this.answerTo(headers, body);
    const request = (options: RequestOptions, ...rest: ((response: IncomingMessage) => void)[]) => {
      const { headers = {} } = options as { headers?: OutgoingHttpHeaders };
      // A function that runs on its own writes whenever it does.
      if (headers.host === others) this.hasOtherWriters = true;
      if (!String(headers['x-amz-target']).startsWith('DynamoDB_')) return openRequest(options, ...rest);
      const watched = new CallWithoutSocket(headers, ask);
      for (const onResponse of rest) watched.once('response', onResponse);
      return watched;
    };
    Object.assign(http, { request });
  }

  /** Reads all anew: somebody else may have written. */
  forgetReads(): void {
    this.known.clear();
  }

  private answerTo(headers: OutgoingHttpHeaders, body: string): Answer | Promise<Answer> {
    const operation = String(headers['x-amz-target']);
    return this.known.get(operation + body) ?? this.answerFromEngine(operation, headers, body);
  }

  private async answerFromEngine(operation: string, headers: OutgoingHttpHeaders, body: string): Promise<Answer> {
    const call = readCall(headers as Record<string, string>, JSON.parse(body) as TableRequest);
    const faults = [brokenLaw(call), findSecret(body)].filter((fault) => fault !== undefined);
    this.violations.push(...faults.map((fault) => `${operation}: ${fault}`));
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const request = openRequest(this.engineUrl, { method: 'POST', headers, agent: this.agent }, (response) => {
      const status = response.statusCode ?? 0;
      text(response).then((answered) => resolve({ status, body: answered }), reject);
    });
    request.once('error', reject).end(body);
    const answer = await promise;
    if (call.isWrite) {
      this.known.clear();
      if (answer.status === 200 && !isCount(call)) this.writes.push(`${operation} ${body}`);
    } else if (answer.status === 200 && !this.hasOtherWriters) this.known.set(operation + body, answer);
    return answer;
  }
}
