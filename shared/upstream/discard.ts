import type { IncomingMessage } from 'node:http';

/** What is read of an answer that nobody uses. A longer or slower one costs more than a new connection. */
const bytesMax = 64 * 1024;
const milliseconds = 1_000;

/** Drops the rest of an answer. Its connection can be used again if the rest is short; otherwise it is closed. */
export const discard = (message: IncomingMessage): void => {
  let bytes = 0;
  const timer = setTimeout(() => message.destroy(), milliseconds);
  message.once('close', () => clearTimeout(timer));
  message.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) message.destroy();
  });
};
