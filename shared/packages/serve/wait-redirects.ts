import { ApiError } from '../../errors.ts';
import type { RedirectResult } from '../../http/payloads.ts';
import { schema } from '../../http/schema.ts';

/** The maximum number of redirects for one file or document. Package clients follow at least seven. */
const waitsMax = 5;

/** The query parameter that counts the redirects. */
export const waitParameter = {
  wait: schema({ type: 'integer', minimum: 1, maximum: waitsMax, examples: [1] }),
} as const;

/** The redirect of an endpoint that serves files or documents, as its contract tells of it. */
export const fileRedirect = (what: string) =>
  ({
    kind: 'redirect',
    description: `The address of ${what} for the next five minutes, or the address to wait at.`,
  }) as const;

/** The answer while an upstream is still sending. `refuse` is for gem and composer, which lose their credential on a redirect. */
export type WhilePending = 'redirect' | 'refuse';

/** The parts of a request that a redirect to wait needs. */
export interface WaitingRequest {
  /** The absolute URL of the request, without its query. */
  readonly url: string;
  readonly query: { readonly wait?: number | undefined; readonly [name: string]: string | number | undefined };
}

/** Whether the client can be redirected to wait. */
export const canWait = ({ wait = 0 }: WaitingRequest['query'], whilePending: WhilePending = 'redirect'): boolean =>
  whilePending === 'redirect' && wait < waitsMax;

/** Redirects the client to the same address, or throws FILE_PENDING if it was redirected too often. */
export const pendingAnswer = (
  { url, query }: WaitingRequest,
  whilePending: WhilePending,
  headers: Readonly<Record<string, string>>,
): RedirectResult => {
  if (!canWait(query, whilePending)) throw new ApiError('FILE_PENDING');
  const { wait = 0, ...others } = query;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...others, wait: wait + 1 }))
    if (value !== undefined) parameters.set(name, String(value));
  return { kind: 'redirect', location: `${url}?${parameters.toString()}`, headers };
};
