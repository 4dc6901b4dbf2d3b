import { Readable } from 'node:stream';
import type { UpstreamPart } from '../../shared/packages/fetch/file-cache.ts';
import { FormatProblem } from '../../shared/packages/formats/format-problem.ts';
import type { ZippedFile } from '../../shared/packages/formats/zip-archive.ts';
import { askUpstream, type Question, type ReceivedAnswer } from '../../shared/packages/upstream/upstream-request.ts';
import type { ByteRange } from '../../shared/store/objects.ts';
import type { Table } from '../../shared/table/client.ts';
import { defaultMetadataLimits, readMetadata } from '../../shared/upstream/read-metadata.ts';
import { type FailureContext, UpstreamError } from '../../shared/upstream/upstream-error.ts';
import { readWheelMetadata } from './wheel-metadata.ts';

/** The end of a wheel that is asked for first. Most wheels have all of their directory and METADATA in it. */
const endBytes = 256 * 1024;

/** The maximum number of parts before the end. The directory of a wheel with 10,000 files has two of them. */
const partsMax = 4;

const otherPart = (context: FailureContext): UpstreamError =>
  new UpstreamError('protocol', context, 'sent something else than the part of a file that it was asked for');

/** What all parts of one file have in common. */
interface Whole {
  readonly size: number;
  readonly etag: string | undefined;
}

/** Reads the bytes of a part of a file. Throws an UpstreamError if an answer is anything else. */
const readPart = async (
  { headers, body, context }: ReceivedAnswer,
  [first, last]: ByteRange,
  { size, etag }: Whole,
): Promise<Buffer> => {
  const bytesMax = last - first + 1;
  if (headers['content-range'] !== `bytes ${first}-${last}/${size}` || headers.etag !== etag) {
    body.destroy();
    throw otherPart(context);
  }
  const bytes = await readMetadata({ headers: {}, body, context }, { ...defaultMetadataLimits, bytesMax });
  if (bytes.length !== bytesMax) throw otherPart(context);
  return bytes;
};

/** A wheel at an upstream whose end was sent, to be read in parts. */
const inParts = async (
  table: Table,
  question: Question,
  answer: ReceivedAnswer,
  promisedSize: number | undefined,
): Promise<ZippedFile> => {
  const { headers, context } = answer;
  const size = promisedSize ?? Number(headers['content-range']?.split('/')[1]);
  const whole: Whole = { size, etag: headers.etag };
  const endAt = Math.max(0, size - endBytes);
  const end = await readPart(answer, [endAt, size - 1], whole);
  let parts = 0;
  return {
    size,
    read: async ([first, last]) => {
      if (first >= endAt) return end.subarray(first - endAt, last - endAt + 1);
      parts += 1;
      if (parts > partsMax) throw otherPart(context);
      const next = await askUpstream(table, { ...question, range: `bytes=${first}-${last}` });
      if (next.kind !== 'content') throw otherPart(context);
      return readPart(next.response, [first, last], whole);
    },
  };
};

const kinds: ReadonlySet<string> = new Set(['status', 'protocol', 'interrupted', 'too-large']);

/** Whether only parts of a file may be what an upstream cannot send. One that fails, or asks not to be asked, is not asked again. */
const concernsParts = (error: unknown): boolean =>
  error instanceof FormatProblem ||
  (error instanceof UpstreamError && kinds.has(error.kind) && error.retryAt === undefined && (error.status ?? 0) < 500);

/**
 * Asks an upstream for METADATA of a wheel, which it reads from parts of the wheel. Whatever else an upstream sends, the wheel is asked
 * for, whose hash is checked: no hash covers a part.
 */
export const askForMetadata =
  (promisedSize: number | undefined): UpstreamPart['ask'] =>
  async (table, question) => {
    try {
      const answer = await askUpstream(table, { ...question, range: `bytes=-${endBytes}` });
      if (answer.kind !== 'content' || answer.response.context.status !== 206) return answer;
      const metadata = await readWheelMetadata(await inParts(table, question, answer.response, promisedSize));
      return { ...answer, response: { ...answer.response, headers: {}, body: Readable.from([metadata]) } };
    } catch (error) {
      if (!concernsParts(error)) throw error;
    }
    return askUpstream(table, question);
  };
