import type { IncomingMessage } from 'node:http';
import { hasBody } from './headers.ts';
import type { MemoryShare } from './shared-memory.ts';

/** The client has hung up, or sends too slowly: nobody waits for an answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** How many bytes must come in a time in which they are awaited. */
export interface Pace {
  readonly bytes: number;
  readonly milliseconds: number;
}

/** The pace of the door: 2 kB a second. */
const paceMin: Pace = { bytes: 64 * 1024, milliseconds: 30_000 };

/** What is taken of a body that was refused, so that its client comes to read the answer, and no longer than this. */
const drainedBytesMax = 1024 * 1024;
const drainMilliseconds = 5_000;

/** The body of a request, read no faster than somebody asks for it. */
export class IncomingBody {
  /** How many bytes were read so far. */
  bytes = 0;
  /** Whether the body was read to its end. */
  isRead = false;
  private readonly request: IncomingMessage;
  private readonly pace: Pace;
  private awaited: Pace = { bytes: 0, milliseconds: 0 };
  private readonly source: AsyncIterator<Buffer, unknown>;

  /** A client that sends less than this while its bytes are awaited is cut. */
  constructor(request: IncomingMessage, pace = paceMin) {
    this.request = request;
    this.pace = pace;
    // A loop over the request would end its connection where the loop ends early.
    this.source = request[Symbol.asyncIterator]() as AsyncIterator<Buffer, unknown>;
  }

  /** The length that the client has declared; undefined if it sends the body in chunks, or has none. */
  get declaredBytes(): number | undefined {
    const length = this.request.headers['content-length'];
    return length === undefined ? undefined : Number(length);
  }

  /** Whether the request has a body at all. */
  get isPresent(): boolean {
    return hasBody(this.request);
  }

  /** The next bytes; undefined at the end. Throws ClientGone. */
  async next(): Promise<Buffer | undefined> {
    const startedAt = performance.now();
    const timer = setTimeout(() => this.request.destroy(), this.pace.milliseconds - this.awaited.milliseconds);
    try {
      const { done, value } = await this.source.next();
      if (done) {
        this.isRead = true;
        return undefined;
      }
      this.bytes += value.length;
      this.count(value.length, performance.now() - startedAt);
      return value;
    } catch (error) {
      throw new ClientGone('The body was cut.', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  private count(bytes: number, milliseconds: number): void {
    const awaited = { bytes: this.awaited.bytes + bytes, milliseconds: this.awaited.milliseconds + milliseconds };
    this.awaited = awaited.bytes < this.pace.bytes ? awaited : { bytes: 0, milliseconds: 0 };
  }

  /** What is left of the body. Another reader can go on where a loop over this ends. */
  async *rest(): AsyncGenerator<Buffer> {
    for (let piece = await this.next(); piece; piece = await this.next()) yield piece;
  }

  /** Reads until the body has more bytes than these, or to its end. */
  async read(bytes: number, share?: MemoryShare): Promise<Buffer[]> {
    const pieces: Buffer[] = [];
    for await (const piece of this.rest()) {
      await share?.take(piece.length);
      pieces.push(piece);
      if (this.bytes > bytes) break;
    }
    return pieces;
  }

  /** Reads what is left of a refused body and forgets it, up to a megabyte or five seconds: on some hosts, an earlier answer stalls. */
  async drain(): Promise<void> {
    const enough = this.bytes + drainedBytesMax;
    const reading = (async (): Promise<void> => {
      while (this.bytes < enough && (await this.next()));
    })();
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, drainMilliseconds);
    try {
      await Promise.race([reading, late.promise]);
    } finally {
      clearTimeout(timer);
      // The connection is closed while it waits for the next bytes.
      reading.catch(() => {});
    }
  }
}
