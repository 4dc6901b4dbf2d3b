import { once } from 'node:events';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Engine, spawnBound, startEngine } from '../../infra/local/engine.ts';
import { freePort } from '../../infra/local/free-port.ts';

/** Names the folder with DynamoDB Local, which then replaces the embedded engine. */
export const engineFolderVariable = 'DYNAMODB_LOCAL_FOLDER';

const startSecondsMax = 60;

/** Starts the table engine of the tests: the embedded one, or DynamoDB Local. It holds its table in memory. */
export const startTableEngine = async (): Promise<Engine> => {
  const folder = process.env[engineFolderVariable];
  return folder ? startDynamoDbLocal(folder) : startEngine(undefined);
};

const startDynamoDbLocal = async (folder: string): Promise<Engine> => {
  const port = await freePort();
  const libraries = [folder, join(folder, 'DynamoDBLocal_lib')].join(':');
  // Each suite starts one, so the start must be cheap. Without -sharedDb, each access key, and so each function, has a
  // database of its own.
  const options = `-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m -Djava.library.path=${libraries} -cp ${join(folder, '*')}
    software.amazon.dynamodb.services.local.main.ServerRunner -inMemory -sharedDb -disableTelemetry -port ${port}`;
  const child = spawnBound('java', options.split(/\s+/));
  child.stdout?.resume();
  child.stderr?.resume();
  const ended = once(child, 'exit');
  await Promise.race([
    listening(port),
    ended.then(([code]) => {
      throw new Error(`DynamoDB Local ended with code ${code}: run it by hand, with Java 17 or newer.`);
    }),
  ]);
  return {
    url: `http://127.0.0.1:${port}`,
    exited: new Promise(() => {}),
    stop: async () => {
      child.stdin?.end();
      await ended;
    },
  };
};

const listening = async (port: number): Promise<void> => {
  for (let waited = 0; waited < startSecondsMax; waited += 0.1) {
    const socket = createConnection(port, '127.0.0.1');
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await pause(100);
  }
  throw new Error(`DynamoDB Local does not listen on port ${port} after ${startSecondsMax} seconds.`);
};
