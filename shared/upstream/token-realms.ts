import { isIP } from 'node:net';

/** Where registries send their clients for a token although it is not of their domain. */
const knownRealms: ReadonlySet<string> = new Set(['auth.docker.io']);

/** Domains whose subdomains belong to different owners (publicsuffix.org), among those where registries are. */
const sharedDomains: ReadonlySet<string> = new Set(
  `amazonaws.com appspot.com azurecr.io azurewebsites.net cloudapp.net cloudfront.net firebaseapp.com fly.dev github.io gitlab.io
  herokuapp.com jfrog.io netlify.app ngrok.app ngrok.io ondigitalocean.app onrender.com pages.dev pkg.dev railway.app run.app
  vercel.app web.app windows.net workers.dev`.split(/\s+/),
);

/** Second levels under which many countries register names, such as co.uk. */
const secondLevel = /^(?:ac|co|com|edu|go|gob|gov|gv|id|in|ltd|mil|ne|net|nom|or|org|plc|sch)$/;

/** The domain that the owner of a host has registered; undefined where nobody can say. */
const registrableDomain = (host: string): string | undefined => {
  const labels = host.replace(/\.$/, '').split('.');
  const [second = '', first = ''] = labels.slice(-2);
  const count = first.length === 2 && secondLevel.test(second) ? 3 : 2;
  const domain = labels.slice(-count).join('.');
  const isShared = sharedDomains.has(domain) || labels.length < count;
  return isShared || isIP(host.replace(/^\[(.*)\]$/, '$1')) ? undefined : domain;
};

/**
 * Whether the credentials of a repository may go to the address that its registry names for tokens: to the registry itself, or over
 * TLS to its domain. Whoever sits between this service and a registry without TLS could name any address.
 */
export const isRealmOf = (home: URL, realm: URL): boolean => {
  if (realm.origin === home.origin) return true;
  if (realm.protocol !== 'https:') return false;
  if (realm.hostname === home.hostname) return true;
  if (home.protocol !== 'https:') return false;
  const domain = registrableDomain(home.hostname);
  return knownRealms.has(realm.hostname) || (domain !== undefined && domain === registrableDomain(realm.hostname));
};
