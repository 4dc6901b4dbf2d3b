import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import { finished } from 'node:stream';
import { type PlainAnswer, type SignedRequest, sendSigned } from './signed-requests.ts';

/** A body of a known length that arrives piece by piece. */
export interface StreamedBody {
  readonly length: number;
  readonly pieces: AsyncIterable<Buffer>;
}

/**
 * Sends a request with a body that is in memory nowhere, once. All pieces are read, also after an early answer, unless that is a
 * failure. Rejects when nothing goes through for `silenceMilliseconds`, and with the error of the pieces.
 */
export const streamSigned = async (
  signed: SignedRequest,
  { length, pieces }: StreamedBody,
  silenceMilliseconds: number,
  signal: AbortSignal,
): Promise<PlainAnswer> => {
  const { promise: opened, resolve: open } = Promise.withResolvers<ClientRequest>();
  const answer = sendSigned(signed, { length, send: open }, { silenceMilliseconds }, signal);
  let isOver = false;
  const failed = Promise.withResolvers<'failed'>();
  const note = (answered?: PlainAnswer): void => {
    isOver = true;
    if (!answered || answered.status >= 500) failed.resolve('failed');
  };
  const over = answer.then(note, () => note());
  const request = await opened;
  const drained = async (): Promise<unknown> => once(request, 'drain').catch(() => over);
  try {
    for await (const piece of until(failed.promise, pieces))
      if (!isOver && !request.write(piece)) await Promise.race([drained(), over]);
    if (!isOver) request.end();
    // After an early answer, the rest of what was announced never comes: the connection is of no use once that is read.
    else finished((await answer).body, () => request.destroy());
  } catch (error) {
    request.destroy();
    throw error;
  }
  return answer;
};

/** Pieces until something is over: a slow client may not send the next one for long. */
const until = async function* (over: Promise<unknown>, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = pieces[Symbol.asyncIterator]();
  for (;;) {
    const next = source.next();
    // Nobody waits for it any more when it is over.
    next.catch(() => {});
    const found = await Promise.race([next, over.then(() => undefined)]);
    if (!found || found.done) return;
    yield found.value;
  }
};
