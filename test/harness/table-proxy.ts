import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { findSecret } from './secrets.ts';
import {
  brokenLaw,
  conflictAnswer,
  diskFullAnswer,
  type Injection,
  identityOf,
  inPart,
  isCount,
  isPossible,
  readCall,
  serverErrorAnswer,
  type TableAnswer,
  type TableCall,
  type TableRequest,
  throttleAnswer,
} from './table-calls.ts';
import { type SentRequest, TableConnection } from './table-connection.ts';

/** A transaction holds its items for so long, in DynamoDB. */
const transactionMilliseconds = 12;

/** Waits, and keeps no process that has nothing else to do: whoever asked may be gone. */
const pause = (milliseconds: number): Promise<void> => setTimeout(milliseconds, undefined, { ref: false });

/**
 * Stands between the functions and the engine, over HTTP. The engine never conflicts, never throttles and never fails, so
 * the proxy does; it records each call and notes whatever breaks the laws of the table.
 */
export class TableProxy {
  /** Every call since the last `forget`. */
  readonly calls: TableCall[] = [];
  /** What broke a law: unknown callers, scans, reads that are not consistent, secrets in the clear. */
  readonly violations: string[] = [];
  /** Refuses a transaction that meets another one on an item, as DynamoDB does. */
  conflictsLikeDynamoDb = false;
  /** Asks the engine what each call costs. */
  countsUnits = false;
  /** Drops the request tokens of transactions, as if each try came after DynamoDB had forgotten the one before. */
  forgetsRequestTokens = false;
  /** Holds each answer back for so long. */
  answerMilliseconds = 0;
  private injections: { injection: Injection; seen: Map<string, number> }[] = [];
  private readonly inFlight = new Set<string>();
  /** The last try of each call that met no fault, by the SDK's id of the call. */
  private readonly lastTries = new Map<string, TableCall>();
  private readonly agent = new Agent({ keepAlive: true });
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private readonly engineUrl: URL;

  private constructor(engineUrl: string) {
    this.engineUrl = new URL(engineUrl);
    this.server = createServer({ noDelay: true }, (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
      const connection = new TableConnection(socket, this.engineUrl, (sent) => {
        this.handle(connection, sent).catch((error: unknown) => {
          this.violations.push(`The proxy failed: ${String(error)}`);
          connection.drop();
        });
      });
    });
  }

  static async start(engineUrl: string): Promise<TableProxy> {
    const proxy = new TableProxy(engineUrl);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The calls of one function, or of all. */
  callsOf(functionId?: string): readonly TableCall[] {
    return this.calls.filter((call) => functionId === undefined || call.functionId === functionId);
  }

  /** The calls that change something, but for the counts of passwords, which refusals write. */
  get writes(): readonly TableCall[] {
    return this.calls.filter((call) => call.isWrite && !isCount(call));
  }

  /** The units that the reads, or the writes, since the last `forget` consumed: those of one function, or of all. */
  consumed(isWrite: boolean, functionId?: string): number {
    return this.callsOf(functionId)
      .filter((call) => call.isWrite === isWrite)
      .reduce((sum, { units = Number.NaN }) => sum + units, 0);
  }

  forget(): void {
    this.calls.length = 0;
    this.lastTries.clear();
  }

  /** Lets the calls that match meet a fault. */
  inject(...injections: readonly Injection[]): void {
    this.injections.push(...injections.map((injection) => ({ injection, seen: new Map() })));
  }

  /** Ends all faults. */
  heal(): void {
    this.injections = [];
    this.conflictsLikeDynamoDb = false;
    this.forgetsRequestTokens = false;
    this.answerMilliseconds = 0;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
    this.agent.destroy();
  }

  private async handle(connection: TableConnection, sent: SentRequest): Promise<void> {
    const parsed = JSON.parse(sent.body) as TableRequest;
    const call = readCall(sent.headers, parsed);
    this.note(call, sent.body);
    const fault = this.nextFault(call, parsed);
    if (fault === undefined) this.noteTry(call, String(sent.headers['amz-sdk-invocation-id']));
    if (fault === 'hang') return;
    if (fault === 'drop') {
      connection.drop();
      return;
    }
    if (fault === undefined && this.passesAll(call)) {
      connection.pass(sent, (status) => {
        call.status = status;
      });
      return;
    }
    const answer = await this.answer(call, fault, sent, parsed);
    if (fault === 'commit-then-drop') {
      connection.drop();
      return;
    }
    call.status = answer.status;
    if (this.answerMilliseconds > 0) await pause(this.answerMilliseconds);
    connection.answer(answer);
  }

  /** Whether a call and its answer can pass as they are. */
  private passesAll({ isWrite }: TableCall): boolean {
    const isLate = this.answerMilliseconds > 0;
    const mayConflict = this.conflictsLikeDynamoDb && isWrite;
    return !isLate && !mayConflict && !this.countsUnits && !this.forgetsRequestTokens;
  }

  private note(call: TableCall, body: string): void {
    this.calls.push(call);
    const law = brokenLaw(call);
    if (law !== undefined) this.violations.push(law);
    const secret = findSecret(body);
    if (secret !== undefined) this.violations.push(`${call.functionId} ${call.operation}: the secret '${secret}'`);
  }

  /** The SDK tries again what met no fault only when it gave up the try before. */
  private noteTry(call: TableCall, invocationId: string): void {
    const before = this.lastTries.get(invocationId);
    if (before) before.isAbandoned = true;
    this.lastTries.set(invocationId, call);
  }

  private nextFault(call: TableCall, sent: TableRequest): Injection['fault'] | undefined {
    let fault: Injection['fault'] | undefined;
    for (const entry of this.injections) {
      const { operation = call.operation, functionId = call.functionId, after = 0, times = Infinity } = entry.injection;
      if (operation !== call.operation || functionId !== call.functionId) continue;
      if (!isPossible(entry.injection.fault, call.operation)) continue;
      const counted = entry.injection.eachCall ? identityOf(sent) : '';
      const seen = (entry.seen.get(counted) ?? 0) + 1;
      entry.seen.set(counted, seen);
      if (seen > after && seen <= after + times) fault ??= entry.injection.fault;
    }
    return fault;
  }

  private async answer(
    call: TableCall,
    fault: Injection['fault'] | undefined,
    { headers, body }: SentRequest,
    parsed: TableRequest,
  ): Promise<TableAnswer> {
    if (fault === 'conflict') return conflictAnswer(call);
    if (fault === 'throttle') return throttleAnswer(call);
    if (fault === 'server-error') return serverErrorAnswer;
    if (fault === 'disk-full') return diskFullAnswer;
    const change = {
      ...(this.countsUnits && { ReturnConsumedCapacity: 'TOTAL' }),
      ...(this.forgetsRequestTokens && { ClientRequestToken: undefined }),
    };
    const sent = Object.keys(change).length > 0 ? JSON.stringify({ ...parsed, ...change }) : body;
    const forward = async (): Promise<TableAnswer> => this.forward(headers, sent);
    const answer = this.conflictsLikeDynamoDb && call.isWrite ? await this.exclusively(call, forward) : await forward();
    if (this.countsUnits) call.units = unitsOf(answer);
    return fault === 'unprocessed' ? inPart(parsed, answer) : answer;
  }

  /** Refuses a write that meets one in flight on any of its items; a transaction takes its time. */
  private async exclusively(call: TableCall, forward: () => Promise<TableAnswer>): Promise<TableAnswer> {
    const culprit = call.keys.findIndex((key) => this.inFlight.has(key));
    if (culprit >= 0) return conflictAnswer(call, culprit);
    for (const key of call.keys) this.inFlight.add(key);
    try {
      if (call.operation === 'TransactWriteItems') await pause(transactionMilliseconds);
      return await forward();
    } finally {
      for (const key of call.keys) this.inFlight.delete(key);
    }
  }

  private async forward(sent: IncomingHttpHeaders, body: string): Promise<TableAnswer> {
    const headers = { ...sent, 'content-length': String(Buffer.byteLength(body)) };
    const { promise, resolve, reject } = Promise.withResolvers<TableAnswer>();
    const outgoing = request(this.engineUrl, { method: 'POST', headers, agent: this.agent });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject);
    });
    outgoing.end(body);
    return promise;
  }
}

const unitsOf = ({ body }: TableAnswer): number => {
  const { ConsumedCapacity = [] } = JSON.parse(body) as { ConsumedCapacity?: Capacity | Capacity[] };
  return [ConsumedCapacity].flat().reduce((sum, capacity) => sum + (capacity.CapacityUnits ?? 0), 0);
};

interface Capacity {
  readonly CapacityUnits?: number;
}
