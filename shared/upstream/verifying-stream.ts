import { createHash, type Hash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { type FailureContext, UpstreamError } from './upstream-error.ts';

/** The hashes that the indexes of package types promise. */
export type HashAlgorithm = 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';

/** Hashes in hexadecimal. */
export type Hashes = Readonly<Partial<Record<HashAlgorithm, string>>>;

/** The expected length and hashes of a file, and the hashes to compute. */
export interface Expectation {
  /** The host and status that an error names. */
  readonly context: FailureContext;
  /** Hashes to compute besides SHA-256 and those that are promised. */
  readonly algorithms?: readonly HashAlgorithm[];
  readonly hashes?: Hashes;
  readonly bytes?: number;
  readonly bytesMax?: number;
}

/** The length and the hashes of a file. */
export interface Measured {
  readonly bytes: number;
  readonly hashes: Hashes & { readonly sha256: string };
}

/**
 * Passes a file on while it counts and hashes its bytes. It holds the last piece back until the length and the hashes
 * are correct, so that the receiver never gets the whole of a wrong file, even if it commits at a known length.
 */
export class VerifyingStream extends Transform {
  private readonly expectation: Expectation;
  private readonly digests = new Map<HashAlgorithm, Hash>();
  private bytes = 0;
  private held: Buffer | undefined;
  private result: Measured | undefined;

  constructor(expectation: Expectation) {
    super();
    this.expectation = expectation;
    const promised = Object.keys(expectation.hashes ?? {}) as HashAlgorithm[];
    for (const algorithm of new Set<HashAlgorithm>(['sha256', ...promised, ...(expectation.algorithms ?? [])]))
      this.digests.set(algorithm, createHash(algorithm));
  }

  /** The length and the hashes; only known after the stream has ended successfully. */
  get measured(): Measured {
    if (!this.result) throw new Error('The file has not passed yet.');
    return this.result;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    // An empty piece must not replace the last real one.
    if (chunk.length === 0) {
      done();
      return;
    }
    this.bytes += chunk.length;
    for (const digest of this.digests.values()) digest.update(chunk);
    const previous = this.held;
    this.held = chunk;
    done(this.excess(), previous);
  }

  override _flush(done: TransformCallback): void {
    const hashes = Object.fromEntries(
      Array.from(this.digests, ([algorithm, digest]) => [algorithm, digest.digest('hex')]),
    ) as Measured['hashes'];
    const measured = { bytes: this.bytes, hashes };
    const mismatch = this.mismatch(measured);
    if (!mismatch) this.result = measured;
    done(mismatch, this.held);
  }

  private excess(): UpstreamError | null {
    const { context, bytes = Number.POSITIVE_INFINITY, bytesMax = Number.POSITIVE_INFINITY } = this.expectation;
    if (this.bytes > bytes)
      return new UpstreamError('integrity', context, `sent more than the ${bytes} bytes that were promised`);
    return this.bytes > bytesMax ? new UpstreamError('too-large', context, `sent more than ${bytesMax} bytes`) : null;
  }

  private mismatch(measured: Measured): UpstreamError | null {
    const { context, bytes = measured.bytes, hashes = {} } = this.expectation;
    if (measured.bytes !== bytes)
      return new UpstreamError('integrity', context, `sent ${measured.bytes} of the ${bytes} bytes that were promised`);
    const wrong = (Object.keys(hashes) as HashAlgorithm[]).find(
      (algorithm) => hashes[algorithm]?.toLowerCase() !== measured.hashes[algorithm],
    );
    return wrong ? new UpstreamError('integrity', context, `sent a file whose ${wrong} is not the promised one`) : null;
  }
}
