import { Worker } from 'node:worker_threads';
import { endpoints } from '../../functions/endpoints.ts';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { readAssembly } from '../../infra/local/assembly.ts';
import { startRunner } from '../../infra/local/runner.ts';
import { assemblyDirectory } from '../harness/assembly.ts';
import { callers } from '../harness/callers.ts';
import { Client } from '../harness/client.ts';
import type { Make, Request } from '../harness/endpoint-facts.ts';
import { buildFixture, otherWays, validRequest } from '../harness/fixture.ts';
import { readProblem, readReply } from '../harness/reply-rules.ts';
import { pointTableLayer, reachingLoopback, storeFirstAdmin } from '../harness/service.ts';
import { World } from '../harness/world.ts';
import {
  type Attack,
  type FromThread,
  nothing,
  type Order,
  type Outcome,
  type Question,
  type Reply,
} from './messages.ts';

/** Runs as a process of its own: a service and a world, for attacks on one endpoint after the other. */
globalThis.replyRules = { readProblem, readReply };

const assembly = assemblyDirectory();
const { functions } = readAssembly(assembly);
const runner = await startRunner({
  assembly,
  host: '127.0.0.1',
  port: 0,
  dataDir: ':memory:',
  firstAdmin: 'none',
  environment: reachingLoopback,
  logSink: () => {},
});
pointTableLayer(runner);
await storeFirstAdmin();
const client = new Client(runner.url);
const fixture = await buildFixture({ client, world: new World(client) });
const credentials = Object.fromEntries(
  callers.map((caller) => [caller, fixture[caller].bearer]),
) as Attack['credentials'];

/** The service closes them after some seconds, perhaps just when the next request is on its way. */
const forgetIdleConnections = (): void => client.close();

let requestsMade = 0;

/** A valid request; one after the other takes each way through the use case. */
const nextRequest = async (id: string | undefined): Promise<Request> => {
  const contract = endpoints.find((each) => each.id === id);
  if (!contract) throw new Error(`There is no endpoint ${id}.`);
  const ways: Make[] = [(world) => validRequest(contract, world), ...otherWays(contract)];
  forgetIdleConnections();
  requestsMade += 1;
  return (ways[requestsMade % ways.length] as Make)(fixture);
};

const replyTo = async ({ number, call, requestFor }: Question): Promise<Reply> => {
  try {
    if (call) return { number, result: await runner.invoke(call.functionId, call.event) };
    return { number, request: await nextRequest(requestFor) };
  } catch (error) {
    return { number, error: (error as Error).message };
  }
};

const attack = async ({ id, requests, seed }: Order): Promise<Outcome> => {
  const definition = functions.find((each) => each.id === id);
  if (!definition) throw new Error(`There is no function ${id}.`);
  const thread = new Worker(new URL('./attack-thread.ts', import.meta.url), {
    workerData: { assembly, definition, requests, seed, credentials } satisfies Attack,
    env: {
      ...definition.environment,
      ...runner.variablesOf(id),
      AWS_LAMBDA_FUNCTION_NAME: definition.name,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: `${definition.memoryMegabytes}`,
    },
  });
  let outcome: Outcome = { ...nothing, failure: 'The function ended its process.' };
  thread.on('error', ({ stack }: Error) => {
    outcome = { ...nothing, failure: `The function failed outside of a request: ${stack}` };
  });
  thread.on('message', ({ question, outcome: ended }: FromThread) => {
    if (question) void replyTo(question).then((reply) => thread.postMessage(reply));
    if (ended) outcome = ended;
  });
  await new Promise((resolve) => void thread.once('exit', resolve));
  forgetIdleConnections();
  for (const caller of callers)
    if ((await client.call(getCurrentUser, { as: credentials[caller] })).status !== 200)
      return { ...outcome, failure: `The ${caller} is not known any more: the last requests were those of nobody.` };
  return outcome;
};

process.on('message', (order: Order) => void attack(order).then((outcome) => process.send?.(outcome)));
process.once('disconnect', () => process.exit());
process.send?.({ isReady: true });
