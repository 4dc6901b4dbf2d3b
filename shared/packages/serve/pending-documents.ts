import type { RedirectResult } from '../../http/payloads.ts';
import { isPending } from '../upstream/upstream-request.ts';
import { pendingAnswer, type WaitingRequest } from './wait-redirects.ts';

/** Answers with a document, or redirects the client to wait for it. */
export const orPending = async <T>(call: WaitingRequest, answer: () => Promise<T>): Promise<T | RedirectResult> => {
  try {
    return await answer();
  } catch (error) {
    if (isPending(error)) return pendingAnswer(call, 'redirect', {});
    throw error;
  }
};
