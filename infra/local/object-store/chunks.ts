import { createHash } from 'node:crypto';
import { type SignedCall, sha256, verifySignature } from './signature.ts';
import { invalid, Refusal } from './wire.ts';

const lineBytesMax = 16 * 1024;
const chunkBytesMin = 8 * 1024;

/** Reads lines and bytes off a stream. */
const readerOf = (source: AsyncIterable<Buffer>) => {
  const input = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const more = async () => {
    const { done, value } = await input.next();
    if (done || rest.length > lineBytesMax) throw invalid('IncompleteBody', 'This is no whole aws-chunked body.');
    rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
  };
  const take = (count: number): Buffer => {
    const taken = rest.subarray(0, count);
    rest = rest.subarray(taken.length);
    return taken;
  };
  const line = async (): Promise<string> => {
    while (!rest.includes('\r\n')) await more();
    return take(rest.indexOf('\r\n') + 2)
      .toString('latin1')
      .trim();
  };
  const bytes = async (max: number): Promise<Buffer> => {
    if (rest.length === 0) await more();
    return take(max);
  };
  return { line, bytes };
};

/** The data of an aws-chunked body, whose signatures go on from the call's. Its trailers join the headers. */
export async function* decodeChunks(
  { request, signature: seed, signingKey, date, scope, payload }: SignedCall,
  headers: Record<string, string | undefined>,
): AsyncGenerator<Buffer> {
  const isSigned = payload.startsWith('STREAMING-AWS4-HMAC-SHA256-PAYLOAD');
  let before = seed;
  const verify = (signature: string | undefined, kind: string, ...hashes: readonly string[]) => {
    const lines = [`AWS4-HMAC-SHA256-${kind}`, date, scope, before, ...hashes];
    if (isSigned) before = verifySignature(signature, signingKey, lines);
  };
  const { line, bytes } = readerOf(request);
  for (let size = -1, isLast = false; size !== 0; isLast = size < chunkBytesMin) {
    const [, digits = '', signature] = /^([\da-f]+)(?:;chunk-signature=(\w+))?$/i.exec(await line()) ?? [];
    size = Number.parseInt(digits, 16);
    if (Number.isNaN(size)) throw invalid('IncompleteBody', 'A chunk must begin with its size.');
    if (isLast && size > 0) throw new Refusal(403, 'InvalidChunkSizeError', 'Only the last chunk may be below 8 kB.');
    const hash = createHash('sha256');
    for (let left = size; left > 0; ) {
      const piece = await bytes(left);
      left -= piece.length;
      if (isSigned) hash.update(piece);
      yield piece;
    }
    verify(signature, 'PAYLOAD', sha256(''), hash.digest('hex'));
    if (size > 0) await line();
  }
  let trailers = '';
  for (;;) {
    const [, name = '', text = ''] = /^([^:]+):\s*(.*)$/.exec(await line()) ?? [];
    if (name === 'x-amz-trailer-signature') return verify(text, 'TRAILER', sha256(trailers));
    // Some clients leave a line empty between the trailers and their signature.
    if (name === '' && !(isSigned && payload.endsWith('-TRAILER'))) return undefined;
    if (name !== '') trailers += `${name}:${text}\n`;
    headers[name.toLowerCase()] = text;
  }
}
