import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { BoundedCache } from '../../bounded-cache.ts';
import { isUnchanged } from '../../http/etags.ts';
import type { BytesResult, RedirectResult } from '../../http/payloads.ts';
import { stagingObjectKey } from '../../store/keys.ts';
import { putObjectOnce } from '../../store/objects.ts';
import type { Table } from '../../table/client.ts';
import { redirectTo } from './file-answers.ts';
import type { FoundIndexes } from './package-indexes.ts';

/** The maximum size of an answer: a response of Lambda has at most 6 MB in base64. */
export const answerBytesMax = 4_500_000;

/** The bytes of documents that this process keeps as clients got them, and the most of one that is kept. */
const keptBytesMax = 32_000_000;
const documentBytesMax = 1_000_000;

/** The documents that were sent last, by the path that they answer and their ETag. */
const sent = new BoundedCache<Buffer>(keptBytesMax);

/** The parts of a request that answering with a document needs. */
export interface DocumentCall {
  readonly table: Table;
  readonly params: { readonly workspace: string; readonly repository: string };
  readonly baseUrl: string;
  readonly isHead: boolean;
  readonly header: (name: string) => string | undefined;
}

/** A document to answer with. */
export interface AnsweredDocument extends Pick<FoundIndexes<unknown>, 'name' | 'revision' | 'headers'> {
  readonly mediaType: string;
  /** The date that stands for an ETag, if clients of the type compare dates alone. */
  readonly dateOf?: (etag: string) => string;
  readonly render: () => Promise<Buffer>;
}

/** An answer, and the document in it before compression unless the client has it already. */
interface Prepared {
  readonly result: BytesResult;
  readonly document?: Buffer;
}

const hashOf = (parts: readonly unknown[], encoding: 'base64url' | 'hex'): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest(encoding);

/** An answer before its content. */
const headOf = (
  call: DocumentCall,
  { revision, mediaType, dateOf, headers: origin }: AnsweredDocument,
): BytesResult & { readonly etag: string; readonly headers: Readonly<Record<string, string>> } => {
  const isGzip = /\bgzip\b/i.test(call.header('accept-encoding') ?? '');
  const { workspace, repository } = call.params;
  const parts = [revision, call.baseUrl, workspace, repository, mediaType, isGzip];
  const etag = `"${hashOf(parts, 'base64url')}"`;
  const headers = {
    'Cache-Control': 'private, no-cache',
    ...origin,
    Vary: 'Accept, Accept-Encoding',
    ...(isGzip && { 'Content-Encoding': 'gzip' }),
  };
  return { kind: 'bytes', mediaType, etag, lastModified: dateOf?.(etag), headers };
};

const prepare = async (
  call: DocumentCall,
  { name, render }: AnsweredDocument,
  head: ReturnType<typeof headOf>,
): Promise<Prepared> => {
  if (isUnchanged(head, call.header)) return { result: head };
  const sentKey = `${name} ${head.etag}`;
  const known = sent.get(sentKey);
  if (known) return { result: { ...head, content: known } };
  const document = await render();
  const content = head.headers['Content-Encoding'] ? await promisify(gzip)(document, { level: 3 }) : document;
  if (content.length <= documentBytesMax) sent.set(sentKey, content, content.length);
  return { result: { ...head, content }, document };
};

/**
 * Answers with a document. Its ETag is computed from its sources, so nothing is rendered for a client that already has the
 * document.
 */
export const answerDocument = async (call: DocumentCall, answered: AnsweredDocument): Promise<BytesResult> =>
  (await prepare(call, answered, headOf(call, answered))).result;

/**
 * Where a document is while clients are redirected to it: the same for all who ask for it in the same form on one day, so that only
 * the first of them stores it. The lifecycle of the bucket removes it a day later at the earliest.
 */
const stagingKeyOf = ({ name }: AnsweredDocument, etag: string): string => {
  const day = new Date().toISOString().slice(0, 10);
  return stagingObjectKey(hashOf([name, etag, day], 'hex'));
};

/** The large documents that this process has stored, by their keys: none of them is rendered again. */
const stored = new BoundedCache<true>(10_000);

/**
 * Answers with a document of any size. If it is too large for an answer of Lambda, the answer is a redirect to it. Browsers
 * save it under the file name.
 */
export const answerLargeDocument = async (
  call: DocumentCall,
  answered: AnsweredDocument & { readonly fileName: string },
): Promise<BytesResult | RedirectResult> => {
  const { fileName: file, mediaType, headers } = answered;
  const head = headOf(call, answered);
  const key = stagingKeyOf(answered, head.etag);
  if (!stored.get(key) || isUnchanged(head, call.header)) {
    const { result, document } = await prepare(call, answered, head);
    if (!document || (result.content?.length ?? 0) <= answerBytesMax) return result;
    await putObjectOnce(key, document, call.table.signal);
    stored.set(key, true);
  }
  return redirectTo(key, { file, mediaType, isHead: call.isHead }, headers);
};
