import type { RedirectResult } from '../../http/payloads.ts';
import { isPending } from '../upstream/upstream-request.ts';
import { pendingAnswer, type WaitingRequest, type WhilePending } from './wait-redirects.ts';

/** Answers with a document, or redirects the client to wait for it, if its type does. */
export const orPending = async <T>(
  { whilePending }: { readonly whilePending: WhilePending },
  call: WaitingRequest,
  answer: () => Promise<T>,
): Promise<T | RedirectResult> => {
  try {
    return await answer();
  } catch (error) {
    if (isPending(error)) return pendingAnswer(call, whilePending, {});
    throw error;
  }
};
