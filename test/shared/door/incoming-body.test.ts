import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { ClientGone, IncomingBody } from '../../../shared/door/incoming-body.ts';

const pace = { bytes: 100, milliseconds: 200 };
let server: Server;

beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.close().closeAllConnections();
});

/** A request that a client has begun, and the client's side of its connection. */
const requestOf = async (head: string): Promise<{ readonly request: IncomingMessage; readonly socket: Socket }> => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  const arrived = once(server, 'request') as Promise<[IncomingMessage]>;
  socket.write(`PUT / HTTP/1.1\r\nHost: door\r\n${head}\r\n\r\n`);
  const [request] = await arrived;
  return { request, socket };
};

/** Its body, which must keep a fast pace. */
const begun = async (head: string): Promise<{ readonly body: IncomingBody; readonly socket: Socket }> => {
  const { request, socket } = await requestOf(head);
  return { body: new IncomingBody(request, pace), socket };
};

describe('The body of a request', () => {
  it('is read to its end, also where another reader has stopped', async () => {
    const { body, socket } = await begun('Content-Length: 6');
    socket.write('one');
    for await (const piece of body.rest()) {
      expect(piece.toString()).toBe('one');
      break;
    }
    socket.write('two');
    expect((await body.next())?.toString()).toBe('two');
    await body.drain();
    expect(body.bytes).toBe(6);
    socket.destroy();
  });

  it.each([
    ['Content-Length: 5', true, 5],
    ['Content-Length: 0', false, 0],
    ['Transfer-Encoding: chunked', true, undefined],
    ['X-Nothing: more', false, undefined],
  ])('with %s is there: %s', async (head, isPresent, declaredBytes) => {
    const { body, socket } = await begun(head);
    expect({ isPresent: body.isPresent, declaredBytes: body.declaredBytes }).toEqual({ isPresent, declaredBytes });
    socket.destroy();
  });

  it('ends when the client hangs up', async () => {
    const { body, socket } = await begun('Content-Length: 6');
    socket.write('one');
    await body.next();
    const next = body.next();
    socket.destroy();
    await expect(next).rejects.toThrow(ClientGone);
  });

  it('is cut when the client is silent while its bytes are awaited, and never before', async () => {
    const { body, socket } = await begun('Content-Length: 6');
    socket.write('one');
    await new Promise((resolve) => setTimeout(resolve, 2 * pace.milliseconds));
    expect((await body.next())?.toString()).toBe('one');
    const closed = once(socket, 'close');
    await expect(body.next()).rejects.toThrow(ClientGone);
    await closed;
  });

  it('is cut when less than its pace comes, however often a byte does', async () => {
    const { body, socket } = await begun('Content-Length: 1000');
    const trickle = setInterval(() => socket.write('x'), 20);
    await expect(body.read(1_000)).rejects.toThrow(ClientGone);
    clearInterval(trickle);
    socket.destroy();
    expect(body.bytes).toBeLessThan(100);
  });

  it('has 30 seconds for each 64 KiB at the door, of which all that was awaited is taken', async () => {
    const { request, socket } = await requestOf('Content-Length: 1000000');
    const body = new IncomingBody(request);
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const timeLeft = () => timers.mock.calls.findLast(([, milliseconds = 0]) => milliseconds > 20_000)?.[1];
    socket.write(Buffer.alloc(64 * 1024 - 1));
    while (body.bytes < 64 * 1024 - 1) await body.next();
    const last = body.next();
    expect(timeLeft()).toBeLessThan(30_000);
    socket.write('x');
    await last;
    const next = body.next();
    expect(timeLeft()).toBe(30_000);
    timers.mockRestore();
    socket.destroy();
    await expect(next).rejects.toThrow(ClientGone);
  });

  it('may take any time as long as it keeps its pace', async () => {
    const { body, socket } = await begun('Content-Length: 800');
    const steady = setInterval(() => socket.write('x'.repeat(80)), 50);
    await body.read(800);
    clearInterval(steady);
    expect([body.bytes, body.isRead]).toEqual([800, true]);
    socket.destroy();
  });

  it('that was refused is read to its end if that is near, and not much further if it is not', async () => {
    const near = await begun('Content-Length: 500000');
    near.socket.write(Buffer.alloc(500_000));
    await near.body.drain();
    expect([near.body.bytes, near.body.isRead]).toEqual([500_000, true]);
    near.socket.destroy();
    const far = await begun('Content-Length: 50000000');
    far.socket.write(Buffer.alloc(5_000_000));
    await far.body.drain();
    expect(far.body.isRead).toBe(false);
    expect(far.body.bytes).toBeGreaterThanOrEqual(1_000_000);
    expect(far.body.bytes).toBeLessThan(1_200_000);
    far.socket.destroy();
  });
});
