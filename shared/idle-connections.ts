import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Lets a server that closes keep each connection until its answers are sent, and no longer. Node takes a connection for idle as soon as
 * its answer is written to the end, drops what a slow client has not taken yet, and looks for idle ones only when it begins to close
 * (nodejs/node, `closeIdleConnections` in lib/_http_server.js).
 */
export const sendAnswersBeforeClosing = (server: Server): void => {
  const unsent = new Map<Socket, number>();
  const count = (socket: Socket, difference: number): void => {
    const answers = unsent.get(socket);
    if (answers !== undefined) unsent.set(socket, answers + difference);
  };
  server.on('connection', (socket: Socket) => {
    unsent.set(socket, 0);
    socket.once('close', () => unsent.delete(socket));
  });
  const closeIfIdle = (socket: Socket): void => {
    if (unsent.get(socket) === 0) socket.destroy();
  };
  server.prependListener('request', ({ socket }, response) => {
    count(socket, 1);
    response.once('close', () => {
      count(socket, -1);
      if (!server.listening) closeIfIdle(socket);
    });
  });
  Object.assign(server, { closeIdleConnections: () => [...unsent.keys()].forEach(closeIfIdle) });
};
