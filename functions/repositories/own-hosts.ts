import { invalid } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import type { Contract } from '../../shared/http/contract.ts';
import { plainUrl } from '../../shared/packages/sources/type-facts.ts';
import { hostOf } from '../../shared/upstream/public-hosts.ts';
import type { NamedUpstream } from './upstream-url.ts';

/** The parts of a call that say by which hosts this service is known. */
type Addressed = Pick<Call<Contract>, 'baseUrl' | 'header'>;

/** Without the port that its scheme has anyway. */
const authorityOf = (url: string): string | undefined => {
  const host = hostOf(url);
  return host && `${host}:${new URL(url).port}`;
};

/**
 * Refuses this service itself as an upstream: each request would lead to further requests to it. Hosts that only lead to it are
 * found when the first request comes back.
 */
export const refuseOwnHost = (
  { packageType, remoteRepositoryUrl }: NamedUpstream,
  { baseUrl, header }: Addressed,
): void => {
  if (remoteRepositoryUrl === undefined) return;
  const own = [baseUrl, `http://${header('host') ?? ''}`].map(authorityOf);
  const wanted = authorityOf(plainUrl(packageType, remoteRepositoryUrl));
  if (wanted === undefined || !own.includes(wanted)) return;
  const message =
    'remoteRepositoryUrl must not lead to this service itself. To combine repositories of this service, create a virtual repository.';
  throw invalid([{ pointer: '/remoteRepositoryUrl', rule: 'loop', message }]);
};
