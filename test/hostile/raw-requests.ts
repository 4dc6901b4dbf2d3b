import { connect } from 'node:net';
import fc from 'fast-check';
import type { Contract } from '../../shared/http/contract.ts';
import type { Request } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { type HostileRequest, hostileRequests } from './requests.ts';

/** Bytes over a connection of their own. */
export interface RawRequest {
  readonly bytes: Buffer;
  /** Whether the client then goes away. Otherwise it closes its side and reads the answers. */
  readonly hangsUp: boolean;
}

/** Lines that no HTTP library sends, or that concern a connection or its door alone. */
const rawLines = [
  'Host: x',
  'Host:',
  'Host: a b',
  'Host: [',
  'Expect: 100-continue',
  'Expect: 200-ok',
  'Content-Length: 0',
  'Content-Length: -1',
  'Content-Length: 1e3',
  'Content-Length: 7, 7',
  'Content-Length: 99999999999',
  'Content-Length: 18446744073709551615',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: identity',
  'TE: trailers',
  'Trailer: Content-Length',
  'Connection: Authorization, Content-Type',
  'Connection: Upgrade\r\nUpgrade: websocket',
  'Keep-Alive: timeout=-1',
  'X-Stockroom-Upload: ask',
  'X-Stockroom-Upload: allowed\r\nX-Stockroom-Upload-Length: -1',
  'X-Stockroom-Body: x.y',
  'Content-Type: multipart/form-data; boundary=\u00ff',
  'Accept: \u00ff\t',
  'No colon',
  ': no name',
  'Space : before the colon',
  ' Folded: line',
  'X: a\0b',
  'X: a\rb',
  `X: ${'x'.repeat(20_000)}`,
  'X: y\r\n'.repeat(300),
] as const;

const framings = ['length', 'chunks', 'length', 'chunks that break off', 'no length', 'half of the length'] as const;

interface Wire {
  readonly request: HostileRequest;
  readonly lines: readonly string[];
  readonly framing: (typeof framings)[number];
}

const framed = (content: Buffer, framing: Wire['framing']): readonly [line: string | undefined, body: Buffer] => {
  if (framing === 'length') return [`Content-Length: ${content.length}`, content];
  if (framing === 'half of the length') return [`Content-Length: ${content.length >> 1}`, content];
  if (framing === 'no length') return [undefined, content];
  const end = framing === 'chunks' ? '\r\n0\r\nX-Trailer: y\r\n\r\n' : '\r\nzz\r\n';
  const chunk = content.length === 0 ? '' : `${content.length.toString(16)}\r\n`;
  return ['Transfer-Encoding: chunked', Buffer.concat([Buffer.from(chunk), content, Buffer.from(end)])];
};

const bytesOf = (method: string, credentials: Fixture, { request, lines, framing }: Wire): Buffer => {
  const { caller, host = 'x', path, headers, body } = request;
  const [length, content] = body === undefined ? [undefined, Buffer.alloc(0)] : framed(Buffer.from(body), framing);
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...(caller === 'none' ? [] : [`Authorization: ${credentials[caller].bearer}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...lines,
    ...(length === undefined ? [] : [length]),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), content]);
};

/** What befalls the bytes: nothing, an end at any position, or other bytes in the place of some. */
const damage = fc.oneof(
  { weight: 4, arbitrary: fc.constant((bytes: Buffer) => bytes) },
  { weight: 3, arbitrary: fc.nat().map((at) => (bytes: Buffer) => bytes.subarray(0, at % (bytes.length + 1))) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 4 })).map(([at, put]) => (bytes: Buffer) => {
      const from = at % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from + put.length)]);
    }),
  },
);

/** The bytes of requests for an endpoint that are hostile as HTTP, too. */
export const rawRequests = (contract: Contract, valid: Request, credentials: Fixture): fc.Arbitrary<RawRequest> =>
  fc
    .record({
      request: hostileRequests(contract, valid),
      lines: fc.oneof(
        fc.constant<readonly string[]>([]),
        fc.array(fc.constantFrom(...rawLines), { minLength: 1, maxLength: 2 }),
      ),
      framing: fc.constantFrom(...framings),
      damaged: damage,
      hangsUp: fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    })
    .map(({ damaged, hangsUp, ...wire }) => ({ bytes: damaged(bytesOf(contract.method, credentials, wire)), hangsUp }));

/** A service that says nothing for so long does not answer at all. */
const silenceMilliseconds = 45_000;

/** Sends the bytes, and returns the status of every answer that comes. Throws for an answer that does not come. */
export const send = async (url: string, { bytes, hangsUp }: RawRequest): Promise<readonly number[]> => {
  const { hostname, port } = new URL(url);
  const chunks: Buffer[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () => {
    if (hangsUp) socket.write(bytes, () => socket.destroy());
    else socket.end(bytes);
  });
  socket.setTimeout(silenceMilliseconds, () => socket.destroy(new Error('No answer has come.')));
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('end', () => socket.end());
  // What the service does not read to its end is reset once its answer has gone out.
  socket.on('error', (error) => (chunks.length === 0 && !hangsUp ? reject(error) : resolve()));
  socket.on('close', () => resolve());
  await promise;
  const answers = Buffer.concat(chunks)
    .toString('latin1')
    .matchAll(/HTTP\/1\.1 (\d{3}) /g);
  return Array.from(answers, ([, status]) => Number(status));
};
