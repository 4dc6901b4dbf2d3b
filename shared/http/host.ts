import type { IncomingMessage } from 'node:http';

/** A name or an address, and a port (RFC 9110, section 7.2): nothing that could be read as another part of a URL. */
const pattern = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** Whether a text can be the Host header of a request. */
const isHost = (text: string): boolean => pattern.test(text) && URL.canParse(`http://${text}`);

type Head = Pick<IncomingMessage, 'httpVersionMinor' | 'rawHeaders' | 'url'>;

/**
 * Whether a request has its Host. RFC 9112, section 3.2: one of HTTP/1.1 has one, and no request has several. One for a proxy names
 * another in its target.
 */
export const hasItsHost = ({ httpVersionMinor, rawHeaders, url = '' }: Head): boolean => {
  const [, authority = 'none'] = /^https?:\/\/(?:[^/?@]*@)?([^/?]*)/i.exec(url) ?? [];
  if (!isHost(authority)) return false;
  const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host');
  return hosts.every(isHost) && (hosts.length === 1 || (hosts.length === 0 && httpVersionMinor === 0));
};
