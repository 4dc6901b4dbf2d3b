/**
 * The cookie with which a client that reads the signature first gets the repomd.xml of the same set afterwards, whatever is published in
 * between: zypper does, and sends cookies back. It is set with the signature, and removed with the next repomd.xml.
 */
const name = 'stockroom-snapshot';

/** As long as a client takes between the two: one that gave up there gets what is current after that. */
const maxAgeSeconds = 60;

const setCookie = (url: string, value: string, seconds: number): string => {
  const { protocol, pathname } = new URL(url);
  const path = pathname.slice(0, pathname.lastIndexOf('/') + 1);
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${name}=${value}; Max-Age=${seconds}; Path=${path}; HttpOnly; SameSite=Strict${secure}`;
};

/** The Set-Cookie header beside a signature at this URL. */
export const storedSnapshot = (url: string, snapshot: string): string => setCookie(url, snapshot, maxAgeSeconds);

/** The Set-Cookie header that removes it. */
export const removedSnapshot = (url: string): string => setCookie(url, '', 0);

/** The snapshot in a Cookie header. */
export const snapshotIn = (header: string | undefined): string | undefined =>
  new RegExp(`(?:^|;)\\s*${name}=([0-9a-f]{64})(?:;|$)`).exec(header ?? '')?.[1];
