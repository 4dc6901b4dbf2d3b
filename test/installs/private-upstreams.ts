import { lookup } from 'node:dns/promises';
import { environment } from '../../shared/config.ts';
import { isPublicAddress } from '../../shared/upstream/public-hosts.ts';

const isPublic = async (host: string): Promise<boolean> => {
  const addresses = await lookup(host, { all: true });
  return addresses.every(({ address }) => isPublicAddress(address));
};

/** Throws if the service would refuse one of the hosts: behind a mirror, their names resolve to addresses that are not public. */
export const requireReachable = async (hosts: readonly string[]): Promise<void> => {
  const listed = process.env[environment.allowedPrivateUpstreams]?.split(',').map((entry) => entry.trim()) ?? [];
  const all = [...new Set(hosts)];
  const refused: string[] = [];
  for (const host of all) if (!listed.includes(host) && !(await isPublic(host))) refused.push(host);
  if (refused.length > 0)
    throw new Error(
      `${refused.join(', ')}: the name resolves to an address that is not public, so Stockroom would refuse it. Set ${environment.allowedPrivateUpstreams}=${all.join(',')}.`,
    );
};
