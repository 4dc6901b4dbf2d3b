import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An address before a service that changes what it passes on. It follows redirects itself, so that it also changes files, and a list of
 * mirrors leads to it again.
 */
export const tampering = async (target: string, change: (path: string, bytes: Buffer) => Buffer) => {
  const pass = async (
    { method = 'GET', url = '', headers }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const { authorization = '', range, 'if-none-match': known } = headers;
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: {
        Authorization: authorization,
        ...(range && { Range: range }),
        ...(known && { 'If-None-Match': known }),
      },
    });
    const sent = Buffer.from(await answer.arrayBuffer());
    const own = `http://${headers.host}`;
    const bytes = url.endsWith('/mirrorlist') ? Buffer.from(String(sent).replaceAll(target, own)) : change(url, sent);
    const passed = ['etag', 'repr-digest', 'digest', 'content-range', 'www-authenticate', 'content-type'];
    const kept = passed.flatMap((name) => (answer.headers.has(name) ? [[name, answer.headers.get(name) ?? '']] : []));
    const size = method === 'HEAD' ? {} : { 'Content-Length': bytes.length };
    response.writeHead(answer.status, { ...Object.fromEntries(kept), ...size }).end(bytes);
  };
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

/** The bytes with one of the last ones changed; as they are if they have not so many. */
export const flipped = (bytes: Buffer, fromEnd: number): Buffer => {
  const copy = Buffer.from(bytes);
  const at = copy.length - fromEnd;
  if (at >= 0) copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};
