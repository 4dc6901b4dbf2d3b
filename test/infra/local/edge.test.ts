import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalDoor, startDoor } from '../../../infra/local/door.ts';
import { edgeListener, listenAsEdge } from '../../../infra/local/edge.ts';
import { drain } from '../../../infra/local/server.ts';

/**
 * A bundle of a door that answers with what it was sent, and by the path in other ways. It is loaded into the thread of the door, over
 * the connections of the edge.
 */
const bundle = `
const { createServer } = require('node:http');
const server = createServer(async (request, response) => {
  const received = { from: request.socket.remoteAddress, headers: request.headers, bytes: 0 };
  if (request.url === '/early') {
    // As the door itself does: a connection that is closed at once is reset, and its answer is lost.
    const { socket } = request;
    socket.destroySoon = () => socket.end(() => setTimeout(() => socket.destroy(), 500));
    response.writeHead(413, 'Too Much', { connection: 'close' });
    return response.end('early');
  }
  if (request.url === '/cut') return request.once('data', () => request.destroy());
  request.once('close', () => request.complete || process.stdout.write('aborted\\n'));
  try {
    for await (const piece of request) received.bytes += piece.length;
  } catch {
    return;
  }
  if (request.url === '/half') {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half');
    return setTimeout(() => response.destroy(), 50);
  }
  response.writeHead(201, 'Taken', { 'set-cookie': ['a=1', 'b=2'], 'x-door': 'door' });
  response.end(JSON.stringify(received));
});
exports.door = Promise.resolve({
  accept: (socket) => server.emit('connection', socket),
  close: async () => server.close(),
});
`;

interface Received {
  readonly from: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number;
}

const folder = mkdtempSync(join(tmpdir(), 'stockroom-edge-'));
const lines: string[] = [];
const sockets: Socket[] = [];
let door: LocalDoor;
let edge: Server;

/** The API: it answers with the headers that it got, and to `/busy` with 503. */
const api = (request: IncomingMessage, response: ServerResponse): void => {
  response.statusCode = request.url === '/busy' ? 503 : 200;
  response.end(JSON.stringify(request.rawHeaders));
};

beforeAll(async () => {
  writeFileSync(join(folder, 'index.js'), bundle);
  const log = (line: string): void => void lines.push(line);
  door = await startDoor({}, { log, access: () => {} });
  await door.open({ bundle: folder, principal: 'door', statements: [], environment: {} });
  edge = await listenAsEdge('127.0.0.1', 0, Promise.resolve(edgeListener(api, door, log)));
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

afterAll(async () => {
  await drain(edge);
  await door.stop();
  rmSync(folder, { recursive: true });
});

/** A connection to the edge, from an address of this machine. */
const open = (localAddress = '127.0.0.1'): Socket => {
  const { port } = edge.address() as AddressInfo;
  const socket = connect({ host: '127.0.0.1', port, localAddress }).on('error', () => {});
  sockets.push(socket);
  return socket;
};

/** What comes over a connection until it is closed, also by a reset. */
const received = async (socket: Socket): Promise<string> => {
  const pieces: Buffer[] = [];
  socket.on('data', (piece) => pieces.push(piece));
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(pieces).toString('latin1');
};

/** Sends a head and the begin of its body, and returns all that comes until the connection ends. */
const send = async (head: readonly string[], body: string | Buffer = '', from?: string): Promise<string> => {
  const socket = open(from);
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(body);
  return received(socket);
};

const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4);

const get = ['GET /a?b=c HTTP/1.1', 'Host: here', 'Connection: close'] as const;
const put = ['PUT /a?b=c HTTP/1.1', 'Host: here', 'Connection: close'] as const;

/** The headers that the API got, as it got them. */
const headersAtApi = async (sent: readonly string[], from?: string): Promise<readonly string[][]> => {
  const answer = await send(sent, '', from);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  const raw = JSON.parse(bodyOf(answer)) as string[];
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []));
};

/** What the door got. */
const receivedByDoor = async (sent: readonly string[], body: string | Buffer, from?: string): Promise<Received> => {
  const answer = await send([...sent, `Content-Length: ${body.length}`], body, from);
  return JSON.parse(/\{.*\}/.exec(answer)?.[0] ?? '') as Received;
};

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
};

describe('The edge of a local start', () => {
  it.each([
    ['GET', []],
    ['HEAD', []],
    ['DELETE', []],
    ['POST', ['Content-Length: 0']],
  ])('asks the API itself for a %s without a body', async (method, more) => {
    expect(await send([`${method} / HTTP/1.1`, 'Host: here', 'Connection: close', ...more])).toMatch(
      /^HTTP\/1\.1 200 /,
    );
  });

  it.each([
    ['PUT', ['Content-Length: 4'], 'body'],
    ['GET', ['Content-Length: 4'], 'body'],
    ['PATCH', ['Transfer-Encoding: chunked'], '4\r\nbody\r\n0\r\n\r\n'],
  ])('sends a %s with a body to the door: %j', async (method, more, body) => {
    const answer = await send([`${method} / HTTP/1.1`, 'Host: here', 'Connection: close', ...more], body);
    expect(answer).toMatch(/^HTTP\/1\.1 201 Taken\r\n(?:.*\r\n)*x-door: door\r\n/i);
    expect(answer.match(/^set-cookie: .=\d/gim)).toEqual(['set-cookie: a=1', 'set-cookie: b=2']);
    expect(answer).toContain('"bytes":4');
  });

  it('says to the API who the client is, and takes that from nobody else', async () => {
    const said = ['X-Stockroom-Viewer: 1.2.3.4', 'x-stockroom-upload: ask', 'X-Stockroom-Authorization: Basic x'];
    const got = await headersAtApi([...get, ...said, 'X-Stockroom-Console: 1', 'Accept: a', 'accept: b'], '127.0.0.2');
    expect(got).toEqual([
      ['host', 'here'],
      ['x-stockroom-console', '1'],
      ['accept', 'a'],
      ['accept', 'b'],
      ['x-forwarded-for', '127.0.0.2'],
      ['x-stockroom-viewer', '127.0.0.2'],
    ]);
  });

  it('lets the door see the address of the client, and its own where no host is named', async () => {
    expect(await receivedByDoor(put, 'body', '127.0.0.3')).toMatchObject({
      from: '127.0.0.3',
      headers: { host: 'here' },
    });
    const { headers } = await receivedByDoor(['PUT / HTTP/1.0'], 'body');
    expect(headers.host).toBe(`127.0.0.1:${(edge.address() as AddressInfo).port}`);
  });

  it('passes large bodies on, over connections that are used again', async () => {
    const content = Buffer.alloc(6_000_000, 'x');
    const socket = open();
    for (const path of ['/1', '/2']) {
      socket.write(`PUT ${path} HTTP/1.1\r\nHost: here\r\nContent-Length: ${content.length}\r\n\r\n`);
      socket.write(content);
    }
    socket.end('GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n');
    const answer = await received(socket);
    expect(answer.match(/"bytes":\d+/g)).toEqual(['"bytes":6000000', '"bytes":6000000']);
    expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 201', 'HTTP/1.1 200']);
  });

  it('gives a client that still sends the early answer of the door, and ends its connection', async () => {
    const sent = ['PUT /early HTTP/1.1', 'Host: here', 'Content-Length: 900000000'];
    const answer = await send(sent, Buffer.alloc(3_000_000));
    expect(answer).toMatch(
      /^HTTP\/1\.1 413 Too Much\r\n(?:.*\r\n)*connection: close\r\n(?:.*\r\n)*\r\n(?:5\r\n)?early/i,
    );
  });

  it('hangs up where the door does, before and in its answer', async () => {
    expect(await send(['PUT /cut HTTP/1.1', 'Host: here', 'Content-Length: 9'], 'body')).toBe('');
    const answer = await send(['PUT /half HTTP/1.1', 'Host: here', 'Content-Length: 4'], 'body');
    expect(bodyOf(answer)).toBe('half');
  });

  it('lets the door know that a client has hung up', async () => {
    const before = lines.length;
    const socket = open();
    socket.write('PUT / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\nbody');
    setTimeout(() => socket.destroy(), 50);
    await until(() => lines.slice(before).includes('aborted'));
  });

  it('refuses a body that is broken', async () => {
    const sent = ['PUT / HTTP/1.1', 'Host: here', 'Transfer-Encoding: chunked'];
    const answer = await send(sent, '4\r\nbody\r\nnot a length\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*"code":"REQUEST_INVALID"/s);
  });

  it('waits for a slow body as long as the door does', () => {
    expect(edge.requestTimeout).toBe(0);
  });

  it('logs the failures of the API', async () => {
    const before = lines.length;
    await send(['GET /busy HTTP/1.1', 'Host: here', 'Connection: close']);
    expect(lines.slice(before).map((line) => JSON.parse(line) as object)).toEqual([
      { level: 'ERROR', message: 'request', status: 503, way: 'api' },
    ]);
    await send(get);
    expect(lines).toHaveLength(before + 1);
  });
});
