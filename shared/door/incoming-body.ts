import type { IncomingMessage } from 'node:http';
import type { MemoryShare } from './shared-memory.ts';

/** The client has hung up, or was silent for too long: nobody waits for an answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** The body of a request, read no faster than somebody asks for it. */
export class IncomingBody {
  /** How many bytes were read so far. */
  bytes = 0;
  /** Whether the body was read to its end. */
  isRead = false;
  private readonly request: IncomingMessage;
  private readonly silenceMilliseconds: number;
  private readonly source: AsyncIterator<Buffer, unknown>;

  /** A client that sends nothing for so long while its bytes are awaited is cut. */
  constructor(request: IncomingMessage, silenceMilliseconds: number) {
    this.request = request;
    this.silenceMilliseconds = silenceMilliseconds;
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
    return this.request.headers['transfer-encoding'] !== undefined || (this.declaredBytes ?? 0) > 0;
  }

  /** The next bytes; undefined at the end. Throws ClientGone. */
  async next(): Promise<Buffer | undefined> {
    const timer = setTimeout(() => this.request.destroy(), this.silenceMilliseconds);
    try {
      const { done, value } = await this.source.next();
      if (done) {
        this.isRead = true;
        return undefined;
      }
      this.bytes += value.length;
      return value;
    } catch (error) {
      throw new ClientGone('The body was cut.', { cause: error });
    } finally {
      clearTimeout(timer);
    }
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

  /** Reads the body to its end and forgets it. An answer before the end would be lost on some hosts. */
  async drain(): Promise<void> {
    while (await this.next());
  }
}
