import { hash } from 'node:crypto';
import { BoundedCache } from '../../bounded-cache.ts';
import { gzipped } from '../../gzip.ts';
import { acceptsGzip } from '../../http/encodings.ts';
import { isUnchanged } from '../../http/etags.ts';
import type { BytesResult, RedirectResult } from '../../http/payloads.ts';
import type { Table } from '../../table/client.ts';
import {
  readShared,
  shareDocument,
  sharedDocumentKey,
  sharedSize,
  shareLargeDocument,
} from '../blobs/shared-documents.ts';
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

/** An answer before its content. */
interface AnswerHead extends BytesResult {
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

const headOf = (call: DocumentCall, { revision, mediaType, dateOf, headers: origin }: AnsweredDocument): AnswerHead => {
  const isGzip = acceptsGzip(call.header('accept-encoding'));
  const { workspace, repository } = call.params;
  const parts = [revision, call.baseUrl, workspace, repository, mediaType, isGzip];
  const etag = `"${hash('sha256', JSON.stringify(parts), 'base64url')}"`;
  const headers = {
    'Cache-Control': 'private, no-cache',
    ...origin,
    Vary: 'Accept, Accept-Encoding',
    ...(isGzip && { 'Content-Encoding': 'gzip' }),
  };
  return { kind: 'bytes', mediaType, etag, lastModified: dateOf?.(etag), headers };
};

const sentKey = ({ name }: AnsweredDocument, { etag }: AnswerHead): string => `${name} ${etag}`;

/** What this process has in memory of an answer, or nothing of it where the client has it already; undefined if it must be made. */
const remembered = (call: DocumentCall, answered: AnsweredDocument, head: AnswerHead): BytesResult | undefined => {
  if (isUnchanged(head, call.header)) return head;
  const content = sent.get(sentKey(answered, head));
  return content && { ...head, content };
};

const remember = (answered: AnsweredDocument, head: AnswerHead, content: Buffer): void => {
  if (content.length <= documentBytesMax) sent.set(sentKey(answered, head), content, content.length);
};

/** A rendered document, and the bytes of it that are sent. */
const made = async (answered: AnsweredDocument, head: AnswerHead) => {
  const document = await answered.render();
  const content = head.headers['Content-Encoding'] ? await gzipped(document, 3) : document;
  remember(answered, head, content);
  return { document, content };
};

/**
 * Answers with a document. Its ETag is computed from its sources, so nothing is rendered for a client that already has the
 * document.
 */
export const answerDocument = async (call: DocumentCall, answered: AnsweredDocument): Promise<BytesResult> => {
  const head = headOf(call, answered);
  return remembered(call, answered, head) ?? { ...head, content: (await made(answered, head)).content };
};

/** A document of any size. */
interface LargeDocument extends AnsweredDocument {
  /** The name under which browsers save it. */
  readonly fileName: string;
  /**
   * The size of the indexes that the whole document is made of, before compression. Where it is large, one process renders the
   * document for all.
   */
  readonly sourceBytes?: number;
}

/** Of smaller indexes, a document is rendered in less time than the store takes to answer twice. */
const sharedSourceBytesMin = 1_000_000;

/** Finds a document that a process has shared: the answer with it, or a redirect to it; undefined if there is none. */
const sharedAnswer = async (
  call: DocumentCall,
  answered: LargeDocument,
  head: AnswerHead,
  key: string,
): Promise<BytesResult | RedirectResult | undefined> => {
  const size = await sharedSize(key);
  if (size === undefined) return undefined;
  if (size > answerBytesMax) return redirectToShared(call, answered, key);
  const content = await readShared(key);
  if (content) remember(answered, head, content);
  return content && { ...head, content };
};

const redirectToShared = async (
  { isHead }: DocumentCall,
  { fileName: file, mediaType, headers }: LargeDocument,
  key: string,
): Promise<RedirectResult> => redirectTo(key, { file, mediaType, isHead }, headers);

/**
 * Answers with a document of any size. If it is too large for an answer of Lambda, the answer is a redirect to it. A document of large
 * indexes is rendered once a day for all processes, in each form that clients ask for.
 */
export const answerLargeDocument = async (
  call: DocumentCall,
  answered: LargeDocument,
): Promise<BytesResult | RedirectResult> => {
  const head = headOf(call, answered);
  const known = remembered(call, answered, head);
  if (known) return known;
  const key = sharedDocumentKey(answered.name, head.etag);
  const isShared = (answered.sourceBytes ?? 0) >= sharedSourceBytesMin;
  const shared = isShared ? await sharedAnswer(call, answered, head, key) : undefined;
  if (shared) return shared;
  const { document, content } = await made(answered, head);
  if (content.length > answerBytesMax) {
    await shareLargeDocument(key, document);
    return redirectToShared(call, answered, key);
  }
  if (isShared) await shareDocument(key, content);
  return { ...head, content };
};
