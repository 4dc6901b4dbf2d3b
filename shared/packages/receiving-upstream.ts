import { pipeline } from 'node:stream';
import { type ReceivedFile, receiveFile } from '../store/receiving.ts';
import type { UpstreamResponse } from '../upstream/upstream-response.ts';
import { VerifyingStream } from '../upstream/verifying-stream.ts';

/** A file at an upstream, and what its index promised of it. */
export interface UpstreamFile {
  readonly url: string;
  readonly mediaType: string;
  /** What the bytes must be; hashes in hex. A file whose hash is known never changes. */
  readonly expected?: {
    readonly size?: number;
    readonly sha256?: string;
    readonly sha512?: string;
    readonly sha1?: string;
  };
}

/** Whether the index says what the bytes are, beyond their number. */
export const hasPromisedHash = ({ expected = {} }: UpstreamFile): boolean =>
  Object.entries(expected).some(([name, value]) => name !== 'size' && value !== undefined);

/** S3 takes objects of 5 TB; what is larger than this is no package, but an upstream that never ends. */
const fileBytesMax = 5 * 1024 ** 3;

/** Receives a file from an upstream in bounded memory. Nothing is kept of one that is not what the index promised. */
export const receiveFromUpstream = async (
  { body, place }: UpstreamResponse,
  { expected = {} }: UpstreamFile,
  signal: AbortSignal,
): Promise<ReceivedFile> => {
  const { size: bytes, ...hashes } = expected;
  const verifying = new VerifyingStream({ place, hashes, bytes, bytesMax: fileBytesMax });
  // Who reads meets the error.
  return receiveFile(
    pipeline(body, verifying, () => {}),
    signal,
  );
};
