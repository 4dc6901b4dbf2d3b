import { Readable } from 'node:stream';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { parseObject } from '../../shared/packages/formats/json-objects.ts';
import { type ReceivedFile, receiveFile } from '../../shared/store/received-file.ts';
import { type CrateMetadata, checkMetadata } from './metadata.ts';

/** The metadata comes first and is parsed as a whole. Beyond that, no index could keep it. */
const metadataBytesMax = 4_000_000;

const cut = (): Error =>
  malformed('The body must be that of cargo publish: the length and the metadata, then the length and the crate.');

/** Reads a stream in pieces of known lengths. */
class Pieces {
  private readonly chunks: AsyncIterator<Buffer, unknown>;
  private pending: Buffer = Buffer.alloc(0);

  constructor(source: Readable) {
    this.chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, unknown>;
  }

  async take(length: number): Promise<Buffer> {
    const taken = [this.pending];
    let bytes = this.pending.length;
    while (bytes < length) {
      const { value, done } = await this.chunks.next();
      if (done) throw cut();
      taken.push(value);
      bytes += value.length;
    }
    const all = Buffer.concat(taken);
    this.pending = all.subarray(length);
    return all.subarray(0, length);
  }

  /** A length in the form of the protocol: 32 bits, the lowest byte first. */
  async takeLength(): Promise<number> {
    return (await this.take(4)).readUInt32LE();
  }

  async *rest(): AsyncGenerator<Buffer> {
    yield this.pending;
    for (let chunk = await this.chunks.next(); !chunk.done; chunk = await this.chunks.next()) yield chunk.value;
  }
}

/** Reads the body of a publication: the metadata as JSON, and the crate (doc.rust-lang.org/cargo/reference/registry-web-api.html). */
export const readPublishBody = async (
  source: Readable,
  signal: AbortSignal,
): Promise<{ readonly metadata: CrateMetadata; readonly received: ReceivedFile }> => {
  const pieces = new Pieces(source);
  const length = await pieces.takeLength();
  if (length > metadataBytesMax) throw cut();
  const metadata = checkMetadata(parseObject(await pieces.take(length), 'The metadata of the crate'));
  const size = await pieces.takeLength();
  const received = await receiveFile(Readable.from(pieces.rest()), signal);
  if (received.size !== size) throw cut();
  return { metadata, received };
};
