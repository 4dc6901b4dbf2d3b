import { createHash, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { BoundedCache } from '../../shared/bounded-cache.ts';
import { isInIfNoneMatch } from '../../shared/http/etags.ts';
import type { BytesResult, RedirectResult } from '../../shared/http/payloads.ts';
import { redirectTo } from '../../shared/packages/serving.ts';
import { stagingObjectKey } from '../../shared/store/keys.ts';
import { putObjectOnce } from '../../shared/store/objects.ts';
import { unscopedOf } from './names.ts';
import type { NpmPackage, ReadCall } from './reading.ts';

/** The maximum size of an answer: a response of Lambda has at most 6 MB in base64. */
const answerBytesMax = 4_500_000;

/** The bytes of documents that this process keeps as clients got them, and the most of one that is kept. */
const keptBytesMax = 32_000_000;
const documentBytesMax = 1_000_000;

/** The documents that were sent last, by the path that they answer and their ETag. */
const sent = new BoundedCache<Buffer>(keptBytesMax);

/** A document to answer with. */
export interface AnsweredDocument extends Pick<NpmPackage, 'name' | 'revision' | 'headers'> {
  readonly mediaType: string;
  readonly render: () => Promise<Buffer>;
}

/** An answer, and the document in it before compression unless the client has it already. */
interface Prepared {
  readonly result: BytesResult;
  readonly document?: Buffer;
}

const prepare = async (
  call: ReadCall,
  { name, revision, mediaType, render, headers: origin }: AnsweredDocument,
): Promise<Prepared> => {
  const isGzip = /\bgzip\b/i.test(call.header('accept-encoding') ?? '');
  const { workspace, repository } = call.params;
  const parts = [revision, call.baseUrl, workspace, repository, mediaType, isGzip];
  const etag = `"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}"`;
  const headers = {
    ...origin,
    'Cache-Control': 'private, no-cache',
    Vary: 'Accept, Accept-Encoding',
    ...(isGzip && { 'Content-Encoding': 'gzip' }),
  };
  if (isInIfNoneMatch(etag, call.header('if-none-match')))
    return { result: { kind: 'bytes', mediaType, etag, headers } };
  const sentKey = `${name} ${etag}`;
  const known = sent.get(sentKey);
  if (known) return { result: { kind: 'bytes', mediaType, etag, headers, content: known } };
  const document = await render();
  const content = isGzip ? await promisify(gzip)(document, { level: 3 }) : document;
  if (content.length <= documentBytesMax) sent.set(sentKey, content, content.length);
  return { result: { kind: 'bytes', mediaType, etag, headers, content }, document };
};

/**
 * Answers with a document. Its ETag is computed from its sources, so nothing is rendered for a client that already has the
 * document.
 */
export const answerDocument = async (call: ReadCall, answered: AnsweredDocument): Promise<BytesResult> =>
  (await prepare(call, answered)).result;

/** Answers with a document of any size. If it is too large for an answer of Lambda, the answer is a redirect to it. */
export const answerLargeDocument = async (
  call: ReadCall,
  answered: AnsweredDocument,
): Promise<BytesResult | RedirectResult> => {
  const { result, document } = await prepare(call, answered);
  if (!document || (result.content?.length ?? 0) <= answerBytesMax) return result;
  const { name, mediaType, headers } = answered;
  // The lifecycle of the bucket removes it.
  const key = stagingObjectKey(randomUUID());
  await putObjectOnce(key, document, call.table.signal);
  return redirectTo(key, { file: `${unscopedOf(name)}.json`, mediaType, isHead: call.isHead }, headers);
};
