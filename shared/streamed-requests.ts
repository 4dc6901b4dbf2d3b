import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import { type PlainAnswer, type SignedRequest, sendSigned } from './signed-requests.ts';

/** A body of a known length that arrives piece by piece. */
export interface StreamedBody {
  readonly length: number;
  readonly pieces: AsyncIterable<Buffer>;
}

/**
 * Sends a request with a body that is in memory nowhere, once. All pieces are read, also after an early answer. Rejects when nothing
 * goes through for `silenceMilliseconds`, and with the error of the pieces.
 */
export const streamSigned = async (
  signed: SignedRequest,
  { length, pieces }: StreamedBody,
  silenceMilliseconds: number,
  signal: AbortSignal,
): Promise<PlainAnswer> => {
  const { promise: opened, resolve: open } = Promise.withResolvers<ClientRequest>();
  const answer = sendSigned(signed, { length, send: open }, silenceMilliseconds, signal);
  let isOver = false;
  const note = (): void => {
    isOver = true;
  };
  const over = answer.then(note, note);
  const request = await opened;
  const drained = async (): Promise<unknown> => once(request, 'drain').catch(() => over);
  try {
    for await (const piece of pieces) if (!isOver && !request.write(piece)) await Promise.race([drained(), over]);
    // After an early answer, the rest of what was announced never comes: the connection is of no use any more.
    if (isOver) request.destroy();
    else request.end();
  } catch (error) {
    request.destroy();
    throw error;
  }
  return answer;
};
