import type { ReceivedFile } from '../../store/received-file.ts';
import { readMetadata } from '../../upstream/read-metadata.ts';
import { UpstreamError } from '../../upstream/upstream-error.ts';
import type { ReceivedAnswer } from '../upstream/upstream-request.ts';
import { packDocument } from './document-cache.ts';

/** How a document of an upstream is read. */
export interface ParsedDocument<D> {
  /** Returns the part to keep of a body. Without it, the whole answer is kept. Throws if the answer is not such a document. */
  readonly condense?: (sent: Buffer, answer: Pick<ReceivedAnswer, 'headers' | 'url'>) => Uint8Array;
  /** Parses the kept part. Throws if it is not such a document. */
  readonly parse: (kept: Uint8Array) => D;
}

/** A document that an upstream sent: the part to keep, packed for the cache if there is one, and what it says. */
interface ReceivedDocument<D> {
  readonly content: Uint8Array;
  readonly packed: ReceivedFile | undefined;
  readonly document: D;
}

/** Reads a document that an upstream sends. Throws an UpstreamError of the kind `protocol` if it is not what is wanted. */
export const receiveDocument = async <D>(
  { condense, parse }: ParsedDocument<D>,
  response: ReceivedAnswer,
  isKept: boolean,
): Promise<ReceivedDocument<D>> => {
  const sent = await readMetadata(response);
  let content: Uint8Array, packing: Promise<ReceivedFile> | undefined, document: D;
  try {
    content = condense?.(sent, response) ?? sent;
    // Another thread packs it meanwhile.
    packing = isKept ? packDocument(content) : undefined;
    document = parse(content);
  } catch (cause) {
    const why = 'sent a document that is not valid for this package type';
    throw new UpstreamError('protocol', response.context, why, cause);
  }
  return { content, packed: await packing, document };
};
