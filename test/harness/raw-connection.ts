import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import type { Reply } from './wire.ts';

/** Sends bytes over a connection of their own, closes its side, and reads every reply until the service has closed its. */
export const exchange = async (url: string, bytes: string): Promise<Reply[]> => {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Reply[]>();
  const chunks: Buffer[] = [];
  const socket = connect({ host: hostname, port: Number(port) }, () => socket.end(bytes, 'latin1'));
  socket.on('data', (chunk) => chunks.push(chunk));
  // What the service does not read to its end is reset once its reply has gone out.
  socket.on('error', (error) => (chunks.length === 0 ? reject(error) : undefined));
  socket.on('close', () => resolve(repliesIn(Buffer.concat(chunks).toString('latin1'))));
  return promise;
};

const repliesIn = (received: string): Reply[] => {
  if (received === '') return [];
  const end = received.indexOf('\r\n\r\n') + 4;
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(received) ?? [];
  if (status === undefined || end < 4) throw new Error(`This is no reply: ${received.slice(0, 200)}`);
  const headers = headersIn(received.slice(0, end));
  const bodyEnd = end + Number(headers['content-length'] ?? 0);
  const text = Buffer.from(received.slice(end, bodyEnd), 'latin1').toString();
  return [{ status: Number(status), headers, text }, ...repliesIn(received.slice(bodyEnd))];
};

const headersIn = (head: string): IncomingHttpHeaders =>
  Object.fromEntries(
    Array.from(head.matchAll(/^([^:\r\n]+): ([^\r\n]*)/gm), ([, name = '', value]) => [name.toLowerCase(), value]),
  );
