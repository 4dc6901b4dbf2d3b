import type { ServerResponse } from 'node:http';

/** A client that still sends would meet a reset instead of the answer if its connection were closed at once. */
const lingerMilliseconds = 1_000;

/** Lets a connection end with an answer that is sent before the body has come to its end. No more of that is read. */
export const closeAfter = (response: ServerResponse): void => {
  const { socket } = response.req;
  response.shouldKeepAlive = false;
  // Node closes both directions as soon as the answer is written, and then the system resets what the client still sends.
  Object.assign(socket, {
    destroySoon: () => {
      socket.end();
      setTimeout(() => socket.destroy(), lingerMilliseconds);
    },
  });
};
