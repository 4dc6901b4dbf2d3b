import type { Socket } from 'node:net';
import { type ConnectionRules, connect } from './connection.ts';
import type { Target } from './target.ts';
import { abortedError, UpstreamError, upstreamErrorOf } from './upstream-error.ts';

/** The bounds of the connections to one origin. */
export interface ConnectionBounds {
  readonly socketsMax: number;
  /** The maximum number of connections that are being made at once: name, TCP and TLS. */
  readonly handshakesMax: number;
  /** An older connection takes no further request, so that its name is looked up and its addresses are checked again. */
  readonly ageMilliseconds: number;
}

/** What a request wants of its connection. */
export interface Wish {
  /** The maximum time for making a connection. */
  readonly connectMilliseconds: number;
  /** Set for a connection that has carried no exchange yet, which its server cannot have closed just now. */
  readonly isFresh: boolean;
  readonly signal: AbortSignal;
  /** Called each time that so long no connection could be made. Who waits for a connection that others use does not hang. */
  readonly onHang?: (() => void) | undefined;
  readonly hangMilliseconds: number;
}

/** A connection that is given back after its exchange. */
export interface Lent {
  readonly socket: Socket;
  /** Keeps the connection for the next request, unless it is closed. `keptSeconds`: how long its server keeps it. */
  readonly giveBack: (keptSeconds: number) => void;
}

interface Waiting extends Wish {
  readonly take: (lent: Lent) => void;
  readonly fail: (error: UpstreamError) => void;
}

interface Idle {
  readonly socket: Socket;
  readonly openedAt: number;
  readonly isFresh: boolean;
  readonly until: number;
  /** Ends the watch over the idle connection. */
  readonly wake: () => void;
}

/** A connection is given up so long before its server closes it. */
const closingMilliseconds = 1_000;

/** A server may close an unused connection after this time as it closes a used one. */
const freshMilliseconds = 1_000;

const isFreshNow = ({ isFresh, openedAt }: Idle): boolean => isFresh && openedAt + freshMilliseconds > Date.now();

/** The connections of this process to one origin. Requests get one in the order in which they came. */
export class OriginConnections {
  private readonly target: Target;
  private readonly rules: ConnectionRules;
  private readonly bounds: ConnectionBounds;
  private readonly idle: Idle[] = [];
  private readonly waiting = new Set<Waiting>();
  private opening = 0;
  private lent = 0;
  /** The last session of TLS: resuming it shortens the next handshake. */
  private session: Buffer | undefined;

  constructor(target: Target, rules: ConnectionRules, bounds: ConnectionBounds) {
    this.target = target;
    this.rules = rules;
    this.bounds = bounds;
  }

  /** Waits for a connection. Rejects with an UpstreamError if none can be made, or when the signal aborts. */
  async lend(wish: Wish): Promise<Lent> {
    const { signal, onHang = () => {}, hangMilliseconds } = wish;
    const { promise, resolve: take, reject: fail } = Promise.withResolvers<Lent>();
    const waiting: Waiting = { ...wish, take, fail };
    const abort = (): void => this.refuse(waiting, this.lateError(signal));
    this.waiting.add(waiting);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    else this.serve();
    const hang = setInterval(() => void (this.lent === 0 && onHang()), hangMilliseconds);
    try {
      return await promise;
    } finally {
      clearInterval(hang);
      signal.removeEventListener('abort', abort);
    }
  }

  private refuse(waiting: Waiting, error: UpstreamError): void {
    this.waiting.delete(waiting);
    waiting.fail(error);
  }

  /** At its deadline, a request whose origin accepts no connection at all has met an upstream that cannot be reached. */
  private lateError({ reason }: AbortSignal): UpstreamError {
    const { url } = this.target;
    if (reason?.name !== 'TimeoutError') return abortedError(url, reason);
    return this.lent === 0 && this.opening > 0
      ? new UpstreamError('unreachable', url, 'could not be connected to in time', reason)
      : abortedError(url, reason, 'queued');
  }

  /** Gives idle connections to those who wait, and makes new ones for the others. */
  private serve(): void {
    const { socketsMax, handshakesMax } = this.bounds;
    let unserved = 0;
    for (const waiting of this.waiting) {
      const idle = this.takeIdle(waiting);
      if (idle) {
        this.waiting.delete(waiting);
        waiting.take(this.lentOf(idle));
        continue;
      }
      unserved += 1;
      if (this.opening >= Math.min(unserved, handshakesMax)) continue;
      // Whoever wants a fresh connection leaves the idle ones: one of them makes room before others take them all.
      const hasRoom = this.opening + this.lent + this.idle.length < socketsMax || this.dropIdle();
      if (hasRoom) void this.open();
    }
  }

  /** Whether anybody uses, makes or waits for a connection. */
  isInUse(): boolean {
    return this.lent + this.opening + this.waiting.size > 0;
  }

  /** Closes the connection that has been idle for the longest time. Returns whether there was one. */
  private dropIdle(): boolean {
    const idle = this.idle.shift();
    idle?.wake();
    idle?.socket.destroy();
    return idle !== undefined;
  }

  private async open(): Promise<void> {
    const [first] = this.waiting;
    if (!first) return;
    this.opening += 1;
    try {
      const socket = await connect(this.rules, this.target, first.connectMilliseconds, this.session);
      socket.on('session', (session: Buffer) => {
        this.session = session;
      });
      this.keep({ socket, openedAt: Date.now(), isFresh: true }, Number.POSITIVE_INFINITY);
    } catch (error) {
      const [next] = this.waiting;
      if (next) this.refuse(next, upstreamErrorOf(error, { host: this.target.url.host }));
    }
    this.opening -= 1;
    this.serve();
  }

  /** The idle connection that was used last, so that the others become too old. */
  private takeIdle(wish: Wish): Idle | undefined {
    for (;;) {
      const at = this.idle.findLastIndex((idle) => isFreshNow(idle) || !wish.isFresh);
      const [idle] = at < 0 ? [] : this.idle.splice(at, 1);
      if (!idle) return undefined;
      idle.wake();
      // A timer may be late, because Lambda freezes the process between two requests. A closed socket tells so a moment later.
      if (idle.until > Date.now() && idle.socket.writable) return idle;
      idle.socket.destroy();
    }
  }

  private lentOf({ socket, openedAt }: Idle): Lent {
    this.lent += 1;
    const giveBack = (keptSeconds: number): void => {
      this.lent -= 1;
      this.keep({ socket, openedAt, isFresh: false }, keptSeconds);
      this.serve();
    };
    return { socket, giveBack };
  }

  /** Keeps a connection until it is wanted, too old or closed, or until it sends what nobody asked for. */
  private keep(connection: Pick<Idle, 'socket' | 'openedAt' | 'isFresh'>, keptSeconds: number): void {
    const { socket, openedAt } = connection;
    const now = Date.now();
    const until = Math.min(openedAt + this.bounds.ageMilliseconds, now + keptSeconds * 1_000 - closingMilliseconds);
    if (!socket.writable || until <= now) {
      socket.destroy();
      return;
    }
    const end = (): void => void socket.destroy();
    const timer = setTimeout(end, until - now).unref();
    const forget = (): void => {
      idle.wake();
      this.idle.splice(this.idle.indexOf(idle), 1);
    };
    const wake = (): void => {
      clearTimeout(timer);
      socket.ref().off('data', end).off('end', end).off('close', forget);
    };
    const idle: Idle = { ...connection, until, wake };
    socket.unref().on('data', end).on('end', end).on('close', forget);
    this.idle.push(idle);
  }
}
