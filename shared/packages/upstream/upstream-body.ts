import { pipeline } from 'node:stream';
import { objectBytesMax } from '../../limits.ts';
import { type ReceivedFile, receiveFile } from '../../store/received-file.ts';
import { type Hashes, VerifyingStream } from '../../upstream/verifying-stream.ts';
import type { PackagePublication } from '../changes/publication.ts';
import type { ReceivedAnswer } from './upstream-request.ts';
import { type FileForm, requireForm } from './web-pages.ts';

/** A file at an upstream: its URL, and the size and the hashes that the index of the upstream promises. */
export interface UpstreamFile {
  readonly url: string;
  /** The URL that is asked if the upstream has nothing at the first one. */
  readonly otherwise?: string | undefined;
  readonly mediaType: string;
  /** The media types that the upstream may give the file instead. */
  readonly mediaTypes?: readonly string[];
  /** The media type of a file of JSON that names none itself, by a member that it has. */
  readonly memberTypes?: Readonly<Record<string, string>>;
  /** Says the media type of a file to which the upstream gives none of these. A function does not go to the worker, which knows it too. */
  readonly typeOf?: (received: ReceivedFile, answer: ReceivedAnswer) => Promise<string>;
  /** What the request accepts. */
  readonly accept?: string;
  /** The promised size in bytes and the promised hashes in hex. */
  readonly expected?: Hashes & { readonly size?: number };
  /** How the file begins, which is checked if no hash of it is promised. Any file may come without it. */
  readonly form?: FileForm;
  /** Set if the file belongs to no version. A function does not go to the worker, which knows it too. */
  readonly loose?: PackagePublication['loose'];
  /** Asks for what the upstream promises of the file in another document. A function does not go to the worker. */
  readonly promised?: () => Promise<UpstreamFile['expected']>;
  /** Set if the upstream may replace the file and its hash. Otherwise a file with a promised hash never changes. */
  readonly isMutable?: boolean;
}

/** The file with all that the upstream promises of it. */
export const withPromise = async ({ promised, ...file }: UpstreamFile): Promise<UpstreamFile> => {
  const expected = await promised?.();
  return expected ? { ...file, expected } : file;
};

/** Whether the index promises a hash of the file, not only its size, and the file never changes. */
export const isPromisedForEver = ({ expected = {}, isMutable = false }: UpstreamFile): boolean =>
  !isMutable && Object.entries(expected).some(([name, value]) => name !== 'size' && value !== undefined);

/** The media type to keep a file with: that of the answer, if it may give one. Throws what `typeOf` throws. */
export const mediaTypeOf = async (
  upstream: UpstreamFile,
  answer: ReceivedAnswer,
  received: ReceivedFile,
): Promise<string> => {
  const [sent = ''] = answer.headers['content-type']?.split(';') ?? [];
  return (
    upstream.mediaTypes?.find((each) => each === sent.trim().toLowerCase()) ??
    (await upstream.typeOf?.(received, answer)) ??
    upstream.mediaType
  );
};

/** Receives a file from an upstream in bounded memory, as long as it is not too large: an answer may never end. Throws an UpstreamError if it differs from what the index promises. */
export const receiveFromUpstream = async (
  { body, context }: Pick<ReceivedAnswer, 'body' | 'context'>,
  {
    expected = {},
    form,
    bytesMax = objectBytesMax,
  }: Pick<UpstreamFile, 'expected' | 'form'> & { readonly bytesMax?: number },
  signal: AbortSignal,
): Promise<ReceivedFile> => {
  const { size: bytes, ...hashes } = expected;
  const verifying = new VerifyingStream({ context, hashes, bytes, bytesMax });
  const isUnverified = Object.values(hashes).every((hash) => hash === undefined);
  // receiveFile reads the last stream and gets the errors of all of them.
  const passing =
    form && isUnverified
      ? pipeline(body, requireForm(context, form), verifying, () => {})
      : pipeline(body, verifying, () => {});
  return receiveFile(passing, signal);
};
