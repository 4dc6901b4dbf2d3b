import type { RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Resolver } from '../../../shared/upstream/lookups.ts';
import { type Loopback, serve, serveConnections } from './loopback.ts';

/** `HARD_UPSTREAMS=full` lets upstreams take their full time, and `npm test` a quarter of it: 10 seconds to connect are 2.5 then. */
export const pace = process.env.HARD_UPSTREAMS === 'full' ? 1 : 1 / 4;

/** The content of a tarball, which is that of no other path. */
export const tarballOf = (path: string): string => `the tarball at ${path} `.repeat(400);

const bodyAt = (url = ''): string => tarballOf(url.slice(1));

const good: RequestListener = ({ url }, response) => void response.end(bodyAt(url));

/** Bytes of an answer over HTTP/1.1 that leaves the connection open. */
const answerTo = (body: string, ...headers: readonly string[]): string =>
  ['HTTP/1.1 200 OK', `Content-Length: ${Buffer.byteLength(body)}`, ...headers, '', body].join('\r\n');

/** The paths of the requests in the bytes that a client sends, one request after the other. */
const eachRequest = (socket: Socket, answer: (url: string, count: number) => void): void => {
  let [sent, count] = ['', 0];
  socket.on('data', (bytes) => {
    sent += bytes.toString('latin1');
    for (let end = sent.indexOf('\r\n\r\n'); end >= 0; end = sent.indexOf('\r\n\r\n')) {
      const [, url = ''] = /^GET (\S+) /.exec(sent) ?? [];
      sent = sent.slice(end + 4);
      count += 1;
      answer(url, count);
    }
  });
};

const handshakesMax = 8;
/** A handshake ends for the client a moment before it ends for the server. */
const graceMilliseconds = 50;

/** Takes 2 to 8 seconds for each handshake of TLS, has eight under way at most, and resets a connection that is too much. */
export const serveSlowHandshakes = async (identity: { readonly key: string; readonly cert: string }) => {
  const speaking = createHttpsServer(identity, good);
  const underWay = new Set<number | undefined>();
  speaking.on('secureConnection', ({ remotePort }) => underWay.delete(remotePort));
  let [met, refused] = [0, 0];
  const meet = (socket: Socket): void => {
    if (underWay.size > handshakesMax) {
      refused += 1;
      socket.resetAndDestroy();
      return;
    }
    met += 1;
    setTimeout(() => speaking.emit('connection', socket), (2_000 + ((met * 7) % 8) * 857) * pace);
  };
  const server = await serveConnections((socket) => {
    const { remotePort } = socket;
    underWay.add(remotePort);
    socket.once('close', () => underWay.delete(remotePort));
    setTimeout(() => meet(socket), graceMilliseconds);
  });
  return {
    server,
    get refused() {
      return refused;
    },
  };
};

/** Resolves every name to the loopback, takes its time, and forgets each question beyond two at once. */
export const dropsBursts = () => {
  let [underWay, dropped] = [0, 0];
  const resolver: Resolver = (name, done) => {
    if (underWay === 2) {
      dropped += 1;
      const error = Object.assign(new Error(`getaddrinfo EAI_AGAIN ${name}`), { code: 'EAI_AGAIN' });
      setTimeout(() => done(error, []), 5_000 * pace);
      return;
    }
    underWay += 1;
    setTimeout(() => {
      underWay -= 1;
      done(null, [{ address: '127.0.0.1', family: 4 }]);
    }, 100);
  };
  return {
    resolver,
    get dropped() {
      return dropped;
    },
  };
};

/** How a connection ends: with a reset, or as if everything was said. */
export type Ending = 'reset' | 'end';

const finish = (socket: Socket, ending: Ending): void => {
  if (ending === 'reset') socket.resetAndDestroy();
  else socket.end();
};

/** Ends each connection when a request comes after this number of answers, without a word about it before. */
export const serveAnswers = async (answersMax: number, ending: Ending): Promise<Loopback> =>
  serveConnections((socket) =>
    eachRequest(socket, (url, count) => {
      if (count > answersMax) finish(socket, ending);
      else socket.write(answerTo(bodyAt(url)));
    }),
  );

/** Says that it waits a second for the next request, counts those that come later, and ends their connections. */
export const serveASecond = async () => {
  let late = 0;
  const server = await serveConnections((socket) => {
    let answeredAt = Number.POSITIVE_INFINITY;
    eachRequest(socket, (url) => {
      if (Date.now() - answeredAt >= 1_000) {
        late += 1;
        finish(socket, 'reset');
      } else socket.write(answerTo(bodyAt(url), 'Keep-Alive: timeout=1'), () => (answeredAt = Date.now()));
    });
  });
  return {
    server,
    get late() {
      return late;
    },
  };
};

export const serveAndClose = async (): Promise<Loopback> =>
  serve((request, response) => {
    response.setHeader('Connection', 'close');
    good(request, response);
  });

/** Over HTTP/1.0, a body without a length ends with its connection. */
export const serveOldHttp = async (): Promise<Loopback> =>
  serveConnections((socket) => eachRequest(socket, (url) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${bodyAt(url)}`)));

/** Sends an answer that nobody asked for after the first one on each connection: with it, or so many milliseconds later. */
export const servePoison = async (afterMilliseconds?: number): Promise<Loopback> =>
  serveConnections((socket) => {
    const poison = answerTo('poison');
    eachRequest(socket, (url, count) => {
      const isWith = afterMilliseconds === undefined && count === 1;
      socket.write(answerTo(bodyAt(url)) + (isWith ? poison : ''));
      if (afterMilliseconds !== undefined && count === 1)
        setTimeout(() => socket.writable && socket.write(poison), afterMilliseconds);
    });
  });
