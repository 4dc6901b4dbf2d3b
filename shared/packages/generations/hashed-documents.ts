import { hash } from 'node:crypto';
import { BoundedCache } from '../../bounded-cache.ts';
import { isUnchanged } from '../../http/etags.ts';
import type { BytesResult, RedirectResult } from '../../http/payloads.ts';
import { dateOfTag } from '../../http/tag-dates.ts';
import { sharedDocumentKey, shareLargeDocument } from '../blobs/shared-documents.ts';
import { answerBytesMax, type DocumentCall } from '../serve/document-answers.ts';
import { redirectTo } from '../serve/file-answers.ts';

/** The documents that this process keeps as it made them, each under its name and revision. */
const rendered = new BoundedCache<Buffer>(32_000_000);

/** A document of one revision, which this process makes once as long as it remembers it. */
export const renderedOnce = async (key: string, render: () => Promise<Buffer>): Promise<Buffer> => {
  const known = rendered.get(key);
  if (known) return known;
  const content = await render();
  rendered.set(key, content, content.length);
  return content;
};

/** A document whose bytes clients keep and compare: the same for all who may read it, and never compressed. */
export interface HashedDocument {
  readonly fileName: string;
  readonly mediaType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Buffer;
}

interface Hashes {
  readonly etag: string;
  readonly sha256: string;
}

const known = new WeakMap<Buffer, Hashes>();

const hashesOf = (content: Buffer): Hashes => {
  const found = known.get(content) ?? {
    etag: `"${hash('md5', content)}"`,
    sha256: hash('sha256', content, 'base64'),
  };
  known.set(content, found);
  return found;
};

/** Whether a range is asked for that an answer has room for. */
const isSmallRange = (range: string | undefined, length: number): boolean => {
  const from = Number(/^bytes=(\d+)-$/.exec(range?.trim() ?? '')?.[1] ?? Number.NaN);
  return from < length && length - from <= answerBytesMax;
};

/**
 * Answers with a document whose ETag is its MD5 in hex, and whose SHA-256 is in `Repr-Digest`, also with a range of it: those who append
 * a range to what they have compare the whole. `Last-Modified` stands for the ETag, and is compared for equality. If the document is too
 * large for an answer of Lambda, the answer is a redirect to it.
 */
export const answerHashed = async (
  call: DocumentCall,
  { fileName, mediaType, headers: origin, content }: HashedDocument,
): Promise<BytesResult | RedirectResult> => {
  const { etag, sha256 } = hashesOf(content);
  const digests = { 'Repr-Digest': `sha-256=:${sha256}:`, Digest: `sha-256=${sha256}` };
  const headers = {
    ...origin,
    'Cache-Control': 'private, no-cache',
    Vary: 'Accept, Accept-Encoding',
    ...digests,
  };
  const answer = { kind: 'bytes', mediaType, etag, lastModified: dateOfTag(etag), headers } as const;
  if (isUnchanged(answer, call.header)) return answer;
  if (content.length <= answerBytesMax || isSmallRange(call.header('range'), content.length))
    return { ...answer, content, beyondEnd: 'all bytes' };
  const key = sharedDocumentKey(fileName, sha256);
  await shareLargeDocument(key, content);
  return redirectTo(key, { file: fileName, mediaType, isHead: call.isHead }, headers);
};
