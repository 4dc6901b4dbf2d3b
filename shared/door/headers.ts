import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { doorSettings } from '../door-settings.ts';
import { edgeSecretHeader, viewerHeader } from '../edge.ts';
import { consoleHeader } from '../http/console-header.ts';
import { doorHeaderPrefix } from '../http/door-headers.ts';

/** Headers of one connection (RFC 9110, section 7.6.1), and those of a body whose length the sender sets anew. */
const ofConnection = new Set(
  'connection content-length expect keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

type Headers = Record<string, string | string[]>;

type Head = Pick<IncomingMessage, 'headers'>;

/** Whether a request has a body at all. */
export const hasBody = ({ headers }: Head): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** The header of a request with a body that says how long it is, as far as its sender has said so. */
export const lengthHeaders = ({ headers: { 'content-length': length } }: Head): Record<string, string> =>
  length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': length };

/** The headers of a message that another message passes on, each with all its values. */
export const passedHeaders = ({ rawHeaders, headers }: Pick<IncomingMessage, 'rawHeaders' | 'headers'>): Headers => {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const passed: Headers = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    if (ofConnection.has(name) || named.has(name)) continue;
    const known = passed[name];
    const value = rawHeaders[index + 1] ?? '';
    passed[name] = known === undefined ? value : [known, value].flat();
  }
  return passed;
};

/** What pages of the service say, and nothing of the door. */
const ofPages = consoleHeader.toLowerCase();

/** What the proxy in front of the door says, which the firewall of the API wants to read, too. */
const ofEdge: ReadonlySet<string> = new Set([edgeSecretHeader, viewerHeader]);

/**
 * The headers of a request for the API. What only the door or a proxy that has proved itself may say is not taken from clients. Without
 * such a proxy, the door says who the client is.
 */
export const requestHeaders = (request: IncomingMessage): Headers => {
  const passed = Object.entries(passedHeaders(request)).filter(
    ([name]) =>
      !name.startsWith(doorHeaderPrefix) ||
      name === ofPages ||
      (doorSettings.edgeSecretArn !== undefined && ofEdge.has(name)),
  );
  const { remoteAddress = '' } = request.socket;
  const forwarded = [request.headers['x-forwarded-for'] ?? [], remoteAddress].flat();
  return {
    ...Object.fromEntries(passed),
    'x-forwarded-for': forwarded.join(', '),
    ...(doorSettings.edgeSecretArn === undefined && { [viewerHeader]: remoteAddress }),
  };
};

/** The address of the client: the one that the proxy names, where there is one. */
const viewerOf = ({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string =>
  (doorSettings.edgeSecretArn !== undefined && [headers[viewerHeader]].flat()[0]) || socket.remoteAddress || '';

/** What is counted as one address: an IPv6 host has a whole network of 64 bits, and takes another address of it as it likes. */
export const countedAddressOf = (address: string): string => {
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  // URLs have one spelling of each address.
  const { hostname } = new URL(`http://[${address.split('%', 1)[0]}]`);
  const [begin = [], end = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - begin.length - end.length }, () => '0');
  return `${[...begin, ...zeros, ...end].slice(0, 4).join(':')}::/64`;
};

/** The client as it is counted. */
export const countedViewerOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>): string =>
  countedAddressOf(viewerOf(request));

/** The URL that the client called the service by. Without a public URL, it is that of the door itself, which has no certificate. */
export const baseUrlOf = ({ headers }: IncomingMessage): string =>
  doorSettings.publicUrl ?? `http://${headers.host ?? ''}`;

/** The target of a request, without the host that a request for a proxy names. */
export const targetOf = ({ url = '/' }: IncomingMessage): string => {
  const [, rest] = /^https?:\/\/[^/?]*(.*)$/i.exec(url) ?? [];
  if (rest === undefined) return url;
  return rest.startsWith('/') ? rest : `/${rest}`;
};
