import { ApiError } from '../errors.ts';
import type { RedirectResult } from '../http/payloads.ts';
import { schema } from '../http/schema.ts';

/** The maximum number of redirects for one file. Package clients follow at least seven. */
const waitsMax = 5;

/** The query parameter that counts the redirects. */
export const waitParameter = {
  wait: schema({ type: 'integer', minimum: 1, maximum: waitsMax, examples: [1] }),
} as const;

/** The answer while a file is still being fetched. `refuse` is for gem and composer, which lose their credential on a redirect. */
export type WhilePending = 'redirect' | 'refuse';

/** The parts of a request that a redirect to wait needs. */
export interface WaitingRequest {
  /** The absolute URL of the request, without its query. */
  readonly url: string;
  readonly query: { readonly wait?: number | undefined };
}

/** Redirects the client to the same address, or throws FILE_PENDING if it was redirected too often. */
export const pendingAnswer = (
  { url, query: { wait = 0 } }: WaitingRequest,
  whilePending: WhilePending,
  headers: Readonly<Record<string, string>>,
): RedirectResult => {
  if (whilePending === 'refuse' || wait >= waitsMax) throw new ApiError('FILE_PENDING');
  return { kind: 'redirect', location: `${url}?wait=${wait + 1}`, headers };
};
