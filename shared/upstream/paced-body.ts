import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Limits } from './limits.ts';
import { startTimeLimit } from './time-limit.ts';
import { abortedError, type FailureContext, UpstreamError, upstreamErrorOf } from './upstream-error.ts';

/** What the caller of a request hears and says while its body comes. */
interface Guard {
  readonly signal: AbortSignal;
  readonly onHang?: (() => void) | undefined;
}

/**
 * The body of an answer. It ends in an UpstreamError if it comes too slowly, breaks off or is aborted. The clock runs
 * only while the reader waits, so that a slow reader is not blamed on the upstream.
 */
export class PacedBody extends Readable {
  private readonly message: IncomingMessage;
  private readonly context: FailureContext;
  private readonly limits: Limits;
  private readonly signal: AbortSignal;
  private readonly watch: NodeJS.Timeout;
  private stopTimer: (() => void) | undefined;
  private bytesMissing = 0;
  private bytes = 0;
  private waitedBefore = 0;
  private waitingSince = 0;

  constructor(message: IncomingMessage, context: FailureContext, limits: Limits, { signal, onHang }: Guard) {
    super();
    this.message = message;
    this.context = context;
    this.limits = limits;
    this.signal = signal;
    const { hangMilliseconds } = limits;
    this.watch = setInterval(() => void (this.isSlow(hangMilliseconds) && onHang?.()), hangMilliseconds / 2).unref();
    // An error without a listener would end the process. A later reader still gets the error.
    this.on('error', () => undefined);
    message.on('data', (chunk: Buffer) => this.receive(chunk));
    message.on('end', () => this.finish());
    message.on('error', (error) => this.destroy(upstreamErrorOf(error, context)));
    message.pause();
    // It can have failed in the packet with its headers, before there was a listener.
    if (message.destroyed) this.destroy(upstreamErrorOf(message.errored, context));
    signal.addEventListener('abort', this.abort);
    if (signal.aborted) this.abort();
  }

  override _read(): void {
    if (this.stopTimer === undefined) {
      this.bytesMissing = this.limits.paceBytes;
      this.waitingSince = performance.now();
      this.stopTimer = startTimeLimit(this.limits.paceMilliseconds, () => this.expire());
    }
    this.message.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.stopWaiting();
    clearInterval(this.watch);
    this.signal.removeEventListener('abort', this.abort);
    this.message.destroy();
    done(error);
  }

  private readonly abort = (): void => {
    const isLate = this.isSlow(this.limits.hangMilliseconds);
    this.destroy(abortedError(this.context, this.signal.reason, isLate ? 'slow' : undefined));
  };

  private receive(chunk: Buffer): void {
    this.bytesMissing -= chunk.length;
    this.bytes += chunk.length;
    // After a push, Readable asks for more, which restarts the clock.
    if (this.bytesMissing <= 0) this.stopWaiting();
    if (this.isBelowFloor()) return;
    if (this.push(chunk)) return;
    this.message.pause();
    this.stopWaiting();
  }

  private finish(): void {
    this.stopWaiting();
    this.push(null);
  }

  /** Ends a body that keeps the pace of its pieces and would still take for ever. */
  private isBelowFloor(): boolean {
    const { floorMilliseconds, floorBytesPerSecond } = this.limits;
    if (!this.isSlow(floorMilliseconds)) return false;
    this.giveUp(`${floorBytesPerSecond} bytes a second for`, floorMilliseconds);
    return true;
  }

  /** Whether the reader has waited for at least this time, and less than the floor has come in it. */
  private isSlow(milliseconds: number): boolean {
    const waited = this.waited();
    return waited >= milliseconds && this.bytes < (this.limits.floorBytesPerSecond * waited) / 1_000;
  }

  private waited(): number {
    return this.waitedBefore + (this.stopTimer === undefined ? 0 : performance.now() - this.waitingSince);
  }

  private stopWaiting(): void {
    this.waitedBefore = this.waited();
    this.stopTimer?.();
    this.stopTimer = undefined;
  }

  private expire(): void {
    const { paceBytes, paceMilliseconds } = this.limits;
    this.giveUp(`${paceBytes} bytes in`, paceMilliseconds);
  }

  private giveUp(expected: string, milliseconds: number): void {
    const predicate = `sent less than ${expected} ${milliseconds / 1_000} seconds`;
    this.destroy(new UpstreamError('timeout', this.context, predicate));
  }
}
