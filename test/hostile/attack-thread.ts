import { type IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { parentPort, workerData } from 'node:worker_threads';
import fc from 'fast-check';
import { endpoints } from '../../functions/endpoints.ts';
import { readAssembly } from '../../infra/local/assembly.ts';
import { checksAtWork, FunctionBundle } from '../../infra/local/function-bundle.ts';
import { Gateway } from '../../infra/local/gateway.ts';
import { guardCalls } from '../../infra/local/guarded-calls.ts';
import { FunctionError, type Invocable } from '../../infra/local/lambda.ts';
import { readReply } from '../harness/reply-rules.ts';
import { findSecret } from '../harness/secrets.ts';
import type { Reply as HttpReply } from '../harness/wire.ts';
import type { Attack, FromThread, Outcome, Question, Reply } from './messages.ts';
import { type HostileRequest, hostileRequests } from './requests.ts';
import { WatchedTable } from './watched-table.ts';

/** Runs in a thread with the environment of a function: attacks it where it runs, through the gateway, without a network. */
const { assembly: directory, definition, requests, seed, credentials } = workerData as Attack;

const contract = endpoints.find(({ id }) => id === definition.id);
if (!contract) throw new Error(`There is no endpoint ${definition.id}.`);

/** So many requests are about the same thing, unless none of them has changed anything. */
const roundLength = 20;
/** After so many rounds there is another target in any case: it may lead another way through the use case. */
const roundsOfTargetMax = 25;
/** The share of the time in which what was used up may be made anew. */
const renewalShareMax = 1 / 6;

const bounds = { timeout: definition.timeoutSeconds * 1000 };

const baseUrl = 'http://127.0.0.1';

const violations: string[] = [];
let thrown: unknown;

Object.assign(process.stdout, {
  write: (text: string | Uint8Array): boolean => {
    const secret = findSecret(String(text));
    if (secret !== undefined) violations.push(`The log: the secret '${secret}'`);
    return true;
  },
});

const tell = (message: FromThread): void => parentPort?.postMessage(message);

const waiting = new Map<number, (reply: Reply) => void>();
let questions = 0;
parentPort?.on('message', (reply: Reply) => {
  waiting.get(reply.number)?.(reply);
  waiting.delete(reply.number);
});
const ask = (question: Omit<Question, 'number'>): Promise<Reply> => {
  questions += 1;
  const number = questions;
  tell({ question: { number, ...question } });
  return new Promise((resolve) => void waiting.set(number, resolve));
};

const table = new WatchedTable(
  String(process.env.AWS_ENDPOINT_URL_DYNAMODB),
  String(process.env.AWS_ENDPOINT_URL_LAMBDA),
);
guardCalls(checksAtWork);
const bundle = new FunctionBundle(definition, process.env, ({ isAllowed, action, resource }) => {
  if (!isAllowed) violations.push(`No right to ${action} ${resource}`);
});

const attacked: Invocable = {
  invoke: async (event) => {
    try {
      const { requestId } = (event as { requestContext: { requestId: string } }).requestContext;
      return await bundle.call(requestId, JSON.parse(JSON.stringify(event)), definition.timeoutSeconds * 1000);
    } catch (error) {
      thrown = error;
      throw error;
    }
  },
};

const elsewhere = (functionId: string): Invocable => ({
  invoke: async (event) => {
    const { result, error } = await ask({ call: { functionId, event } });
    table.forgetReads();
    if (error !== undefined) throw new FunctionError(error);
    return result;
  },
});

/** The authorizer decides about each credential once. */
const once = (authorizer: Invocable): Invocable => {
  const decisions = new Map<string, Promise<unknown>>();
  return {
    invoke: (event) => {
      const { Authorization = '' } = (event as { headers: Record<string, string> }).headers;
      const decision = decisions.get(Authorization) ?? authorizer.invoke(event);
      decisions.set(Authorization, decision);
      return decision;
    },
  };
};

const assembly = readAssembly(directory);
const functions = assembly.functions.map(({ id, arn }): [string, Invocable] => {
  if (id === definition.id) return [arn, attacked];
  return [arn, id === 'authorizer' ? once(elsewhere(id)) : elsewhere(id)];
});
const gateway = new Gateway(assembly, new Map(functions));

/** Brings a request to the gateway and its answer back, as HTTP would. */
const exchange = async ({ caller, host = '127.0.0.1', path, headers, body }: HostileRequest): Promise<HttpReply> => {
  const lines = [['Host', host], ...headers];
  if (caller !== 'none') lines.push(['Authorization', credentials[caller]]);
  const head = {
    method: contract.method,
    url: path,
    rawHeaders: lines.flat(),
    headers: { host },
    socket: { remoteAddress: '127.0.0.1' },
  };
  const message = Object.assign(Readable.from(body === undefined ? [] : [Buffer.from(body)]), head) as IncomingMessage;
  const response = new ServerResponse(message);
  const sent = Promise.withResolvers<Buffer>();
  Object.assign(response, { end: sent.resolve });
  await Promise.race([gateway.answer(message, response), sent.promise]);
  const content = await sent.promise;
  const { statusCode: status } = response;
  const isBare = status === 204 || status === 304;
  const answered = Object.entries(response.getHeaders()).map(([name, value]) => [name, [value].flat().join(', ')]);
  return { status, headers: Object.fromEntries(answered), text: isBare ? '' : content.toString() };
};

const statuses: Record<string, number> = {};
let hasChanged = false;

const attack = async (request: HostileRequest): Promise<void> => {
  thrown = undefined;
  const reply = await exchange(request);
  const { status } = reply;
  const writes = table.writes.splice(0);
  statuses[status] = (statuses[status] ?? 0) + 1;
  hasChanged ||= writes.length > 0;
  if (status >= 500) throw new Error(`The answer is ${status}: ${reply.text}`, { cause: thrown });
  readReply(contract, reply, { baseUrl });
  if (status >= 400 && writes.length > 0)
    throw new Error(`The answer is ${status}, and yet the table was changed: ${writes.join()}`);
  const [violation] = [...violations.splice(0), ...table.violations.splice(0)];
  if (violation !== undefined) throw new Error(violation);
};

const cpuMilliseconds = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

const attackAll = async (): Promise<Outcome> => {
  const begun = performance.now();
  const worked = cpuMilliseconds();
  let renewing = 0;
  let targets = 0;
  let sent = 0;
  const next = async () => {
    const asked = performance.now();
    const { request, error } = await ask({ requestFor: contract.id });
    if (!request) throw new Error(`There is no valid request: ${error}`);
    table.forgetReads();
    hasChanged = false;
    targets += 1;
    renewing += performance.now() - asked;
    return fc.asyncProperty(hostileRequests(contract, request), attack);
  };
  let failure: string | undefined;
  try {
    let property = await next();
    for (let round = 1; sent < requests; round += 1) {
      const numRuns = Math.min(roundLength, requests - sent);
      await fc.assert(property, { ...bounds, numRuns, seed: seed + round });
      sent += numRuns;
      const isAffordable = renewing < renewalShareMax * (performance.now() - begun);
      const isOld = hasChanged || round % roundsOfTargetMax === 0;
      if (isOld && isAffordable) property = await next();
    }
  } catch (error) {
    const { message, cause } = error as Error;
    failure = [message, ...(cause instanceof Error ? [cause.stack] : [])].join('\n');
  }
  return { requests: sent, milliseconds: cpuMilliseconds() - worked, statuses, targets, failure };
};

tell({ outcome: await attackAll() });
process.exit();
