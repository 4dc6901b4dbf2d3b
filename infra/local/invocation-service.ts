import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** Replaces the API of Lambda locally: `Invoke` of its wire protocol, for events whose sender does not wait. */
export interface InvocationService {
  readonly url: string;
  stop(): void;
}

/** Lets a function run on an event, by its name; undefined when there is no such function. */
export type EventInvoker = (functionName: string, event: object) => Promise<unknown> | undefined;

/** Starts the service. */
export const startInvocationService = async (invoke: EventInvoker): Promise<InvocationService> => {
  const server = createServer((request, response) => void answer(invoke, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const answer = async (invoke: EventInvoker, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const refuse = (status: number, type: string) =>
    response.writeHead(status, { 'x-amzn-errortype': type }).end(JSON.stringify({ Type: 'User', Message: type }));
  const [, name] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(request.url ?? '') ?? [];
  if (request.method !== 'POST' || !name || request.headers['x-amz-invocation-type'] !== 'Event') {
    refuse(400, 'InvalidParameterValueException');
    return;
  }
  try {
    const run = invoke(decodeURIComponent(name), (await json(request)) as object);
    if (!run) {
      refuse(404, 'ResourceNotFoundException');
      return;
    }
    response.writeHead(202).end();
    await run;
  } catch {
    refuse(400, 'InvalidRequestContentException');
  }
};
