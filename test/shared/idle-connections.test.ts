import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { sendAnswersBeforeClosing } from '../../shared/idle-connections.ts';

/** More than the buffers of a connection take. */
const answer = Buffer.alloc(16 * 1024 ** 2, 'x');

let server: Server;

beforeEach(async () => {
  server = createServer((_, response) => response.end(answer));
  sendAnswersBeforeClosing(server);
  // Longer than a test may take.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => server.closeAllConnections());

const port = (): number => (server.address() as AddressInfo).port;

const connected = async (): Promise<Socket> => {
  const socket = connect(port(), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};

/** Closes the server, and tells when it is closed. */
const close = async (): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  await closed;
};

describe('A server that closes', () => {
  it('sends the whole answer to a client that is slow to take it, and waits for no further request', async () => {
    const agent = new Agent({ keepAlive: true });
    const outgoing = request({ host: '127.0.0.1', port: port(), agent }).end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    incoming.pause();
    const closed = close();
    await pause(200);
    let bytes = 0;
    for await (const chunk of incoming) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(answer.length);
    await closed;
    agent.destroy();
  });

  it('waits for no connection that has nothing to receive', async () => {
    const silent = await connected();
    const served = await connected();
    served.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    let bytes = 0;
    served.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    while (bytes < answer.length) await pause(10);
    const ends = Promise.all([once(silent, 'close'), once(served, 'close')]);
    await close();
    await ends;
  });
});
