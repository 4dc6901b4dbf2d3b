import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { type LoopbackServer, serveOnLoopback } from './loopback-server.ts';

/** Lets a function run on an event, by its name; undefined when there is no such function. */
export type EventInvoker = (functionName: string, event: object) => Promise<unknown> | undefined;

/** Replaces the API of Lambda locally: `Invoke` of its wire protocol, for events whose sender does not wait. */
export const startInvocationService = (invoke: EventInvoker): Promise<LoopbackServer> =>
  serveOnLoopback((request, response) => void answer(invoke, request, response));

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
