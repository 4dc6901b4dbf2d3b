import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { DoorProcess } from './door-process.ts';

/** A connection to a door. */
export const connected = async (door: DoorProcess): Promise<Socket> => {
  const socket = connect(Number(new URL(door.url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};

/** What comes over a connection until it ends. */
export const received = async (socket: Socket): Promise<string> => {
  let text = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString('latin1');
  return text;
};

/** The head of a request that publishes a file. */
export const headOf = (path: string, authorization: string, lines: readonly string[]): string =>
  [`PUT ${path} HTTP/1.1`, 'Host: door', `Authorization: ${authorization}`, ...lines, '', ''].join('\r\n');
