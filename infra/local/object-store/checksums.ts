import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

interface Digest {
  update(data: Buffer): unknown;
  digest(): Buffer;
}

const bytesOf = (value: bigint, bytes: number): Buffer =>
  Buffer.from(value.toString(16).padStart(2 * bytes, '0'), 'hex');

const crc32Digest = (): Digest => {
  let value = 0;
  const update = (data: Buffer) => {
    value = crc32(data, value);
  };
  return { update, digest: () => bytesOf(BigInt(value), 4) };
};

/** A reflected CRC of 4 or 8 bytes by table, in two halves of 32 bits: BigInt is far too slow for every byte. */
const crcDigest = (polynomial: bigint, bytes: 4 | 8): (() => Digest) => {
  const [lows, highs] = [new Int32Array(256), new Int32Array(256)];
  for (let index = 0; index < 256; index += 1) {
    let value = BigInt(index);
    for (let bit = 0; bit < 8; bit += 1) value = (value >> 1n) ^ (value & 1n ? polynomial : 0n);
    lows[index] = Number(BigInt.asIntN(32, value));
    highs[index] = Number(BigInt.asIntN(32, value >> 32n));
  }
  return () => {
    let [low, high] = [-1, bytes === 8 ? -1 : 0];
    const update = (data: Buffer) => {
      for (const byte of data) {
        const index = (low ^ byte) & 0xff;
        low = ((low >>> 8) | (high << 24)) ^ (lows[index] as number);
        high = (high >>> 8) ^ (highs[index] as number);
      }
    };
    const digest = () => bytesOf(BigInt.asUintN(8 * bytes, (BigInt(~high) << 32n) | BigInt(~low >>> 0)), bytes);
    return { update, digest };
  };
};

const digests = {
  md5: (): Digest => createHash('md5'),
  sha1: (): Digest => createHash('sha1'),
  sha256: (): Digest => createHash('sha256'),
  crc32: crc32Digest,
  crc32c: crcDigest(0x82f63b78n, 4),
  crc64nvme: crcDigest(0x9a6c9329ac4bc9b5n, 8),
};
type DigestName = keyof typeof digests;

/** The algorithms of the `x-amz-checksum-*` headers. */
export const algorithms = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'] as const;
export type Algorithm = (typeof algorithms)[number];

/**
 * What the ETag of something is made of. Of S3's ETags only some are an MD5, so nothing may rely on that; where a SHA-256 is computed
 * anyway, an MD5 beside it would slow down the largest uploads. docs.aws.amazon.com/AmazonS3/latest/API/API_Object.html
 */
export const etagDigest = (checksum: Algorithm | undefined): 'md5' | 'sha256' =>
  checksum === 'sha256' ? checksum : 'md5';

/** Data on its way into the store, measured as it passes. */
export class Content {
  size = 0;
  readonly digests: Partial<Record<DigestName, Buffer>> = {};
  private readonly source: AsyncIterable<Buffer> | Iterable<Buffer>;
  private readonly names: readonly (DigestName | undefined)[];
  private readonly verify: (content: Content) => void;

  /** At the end of the data `verify` may still refuse it. */
  constructor(source: Content['source'], names: Content['names'], verify: Content['verify'] = () => {}) {
    this.source = source;
    this.names = names;
    this.verify = verify;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    const running = [...new Set(this.names)].flatMap((name) => (name ? [[name, digests[name]()] as const] : []));
    for await (const piece of this.source) {
      this.size += piece.length;
      for (const [, digest] of running) digest.update(piece);
      yield piece;
    }
    for (const [name, digest] of running) this.digests[name] = digest.digest();
    this.verify(this);
  }
}
