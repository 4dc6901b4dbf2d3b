import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { startRunner } from '../../infra/local/runner.ts';
import { assemblyWithDoor, assemblyWithFront } from '../harness/assembly.ts';
import { Client } from '../harness/client.ts';
import { buildFixture, otherWays, validRequest } from '../harness/fixture.ts';
import prepareService from '../harness/global-setup.ts';
import { readProblem, readReply } from '../harness/reply-rules.ts';
import { pointTableLayer, reachingLoopback, storeFirstAdmin } from '../harness/service.ts';
import { World } from '../harness/world.ts';
import { endpointsNamed } from './named-endpoints.ts';
import { type RawRequest, rawRequests, send } from './raw-requests.ts';

/**
 * Sends requests that are hostile as HTTP, too, to a local start with its door: each over a connection of its own, as bytes that may be
 * cut anywhere. With `TEST_FRONT=url`, it sends them to the front for reads. It counts answers of 5xx, requests without an answer, and
 * threads that ended. Arguments and seed are those of in-process.ts.
 */
const total = Number(process.env.HOSTILE_SENT ?? 20_000);
const seed = Number(process.env.HOSTILE_SEED ?? randomInt(2 ** 31));
const atOnce = 16;
/** So many requests are about the same thing. */
const roundLength = 64;

const say = (line: string): unknown => process.stdout.write(`${line}\n`);

let failures = 0;

/** Tells a failure at once: the next one may end everything. */
const fail = (what: string): void => {
  failures += 1;
  say(`FAILED ${what}`);
};
const counts = { requests: 0, serverErrors: 0, unanswered: 0, endedThreads: 0 };

const hear = (line: string): void => {
  if (!line.includes('"level":"ERROR"')) return;
  if (/ExitError|between two calls|The door ended/.test(line)) counts.endedThreads += 1;
  fail(`The log: ${line}`);
};

await prepareService();
globalThis.replyRules = { readProblem, readReply };
const runner = await startRunner({
  ...(process.env.TEST_FRONT === 'url'
    ? { assembly: assemblyWithFront(), readsPort: 0 }
    : { assembly: assemblyWithDoor(), doorBundle: join(assemblyWithDoor(), 'door') }),
  host: '127.0.0.1',
  port: 0,
  dataDir: ':memory:',
  firstAdmin: 'none',
  environment: reachingLoopback,
  logSink: hear,
});
pointTableLayer(runner);
await storeFirstAdmin();
const client = new Client(runner.url);
const fixture = await buildFixture({ client, world: new World(client) });
const { bearer } = fixture.systemAdmin;
const attackedUrl = runner.packagesUrl ?? runner.url;

const statusesOfAll: Record<string, number> = {};

const attack = async (request: RawRequest): Promise<void> => {
  const { bytes, hangsUp } = request;
  const failWith = (what: string): void => fail(`${what}: ${JSON.stringify(bytes.toString('latin1').slice(0, 4_000))}`);
  counts.requests += 1;
  try {
    const statuses = await send(attackedUrl, request);
    for (const status of statuses) statusesOfAll[status] = (statusesOfAll[status] ?? 0) + 1;
    const failed = statuses.filter((status) => status >= 500);
    counts.serverErrors += failed.length;
    if (failed.length > 0) failWith(`The answer is ${failed.join()}`);
    if (statuses.length > 0 || hangsUp || bytes.length === 0) return;
    counts.unanswered += 1;
    failWith('There is no answer');
  } catch (error) {
    counts.unanswered += 1;
    failWith(String(error));
  }
};

const contracts = endpointsNamed(process.argv.slice(2));
const ofEach = Math.ceil(total / contracts.length);
say(`${ofEach} requests over HTTP for each of ${contracts.length} endpoints, HOSTILE_SEED=${seed}`);
for (const contract of contracts) {
  const before = failures;
  const ways = [() => validRequest(contract, fixture), ...otherWays(contract).map((make) => () => make(fixture))];
  for (let sent = 0; sent < ofEach; sent += roundLength) {
    const round = sent / roundLength;
    const valid = await (ways[round % ways.length] as (typeof ways)[number])();
    const numRuns = Math.min(roundLength, ofEach - sent);
    const requests = fc.sample(rawRequests(contract, valid, fixture), { numRuns, seed: seed + round }).values();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const request of requests) await attack(request);
      }),
    );
    // Nobody else may suffer.
    const { status } = await client.call(getCurrentUser, { as: bearer, mayFail: true });
    if (status !== 200) fail(`An innocent request was answered ${status}.`);
  }
  say(`${contract.id}: ${failures - before} failures`);
}
client.close();
await runner.stop();
say(`${JSON.stringify(counts)} ${JSON.stringify(statusesOfAll)}`);
process.exit(failures > 0 ? 1 : 0);
