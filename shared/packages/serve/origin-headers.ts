import { joinedState } from '../fetch/joined-documents.ts';
import type { CacheState } from '../upstream/upstream-request.ts';

/** Where an answer comes from. */
export interface AnswerOrigin {
  /** The names of the repositories that it comes from. */
  readonly origins: readonly string[];
  /** The cache states of those that are remote. */
  readonly caches?: readonly CacheState[];
  /** The names of remote repositories whose upstreams failed. The answer leaves out what they may have. */
  readonly unreachable?: readonly string[];
}

/** The headers of an answer about its origin. `Warning: 110` means a stale answer, 199 anything else (RFC 7234 section 5.5). */
export const originHeaders = ({ origins, caches = [], unreachable = [] }: AnswerOrigin): Record<string, string> => {
  const cache = joinedState(caches);
  const warnings = [
    ...(cache === 'stale' ? ['110 - "Response is Stale"'] : []),
    ...unreachable.map((name) => `199 - "The upstream of ${name} failed"`),
  ];
  return {
    'X-Stockroom-Origin': origins.join(','),
    ...(cache && { 'X-Stockroom-Cache': cache }),
    ...(warnings.length > 0 && { Warning: warnings.join(', ') }),
  };
};
