import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import prepareService from '../harness/global-setup.ts';
import { nothing, type Order, type Outcome } from './messages.ts';
import { endpointsNamed } from './named-endpoints.ts';

/**
 * The first part of `npm run test:hostile`: sends hostile requests to each endpoint without a network, to several endpoints
 * at once. Arguments name the endpoints, by parts of their IDs; `packages` names all about packages. The seed repeats the requests of a run.
 */
const processes = Number(process.env.HOSTILE_PROCESSES ?? availableParallelism());
const seed = Number(process.env.HOSTILE_SEED ?? randomInt(2 ** 31));

const say = (line: string): unknown => process.stdout.write(`${line}\n`);

/** A process with a world, for as long as it does not fail. */
const startProcess = async () => {
  const child = fork(new URL('./attack-process.ts', import.meta.url), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => [{ ...nothing, failure: `Its process ended with code ${code}.` }]);
  const reported = async (): Promise<Outcome> => (await Promise.race([once(child, 'message'), ended]))[0] as Outcome;
  const { failure } = await reported();
  if (failure !== undefined) throw new Error(failure);
  return {
    attack: (id: string): Promise<Outcome> => {
      child.send({ id, requests, seed } satisfies Order);
      return reported();
    },
    stop: () => child.kill(),
  };
};

const left = endpointsNamed(process.argv.slice(2)).map(({ id }) => id);
const { HOSTILE_TOTAL: total, HOSTILE_REQUESTS: ofEach = 100_000 } = process.env;
const requests = total === undefined ? Number(ofEach) : Math.ceil(Number(total) / left.length);

const costOf = ({ milliseconds, requests: sent }: Outcome): string =>
  `${(milliseconds / Math.max(sent, 1)).toFixed(2)} ms of CPU each`;

const outcomes: Outcome[] = [];

const attackOneAfterTheOther = async (): Promise<void> => {
  let attacker = await startProcess();
  for (let id = left.shift(); id !== undefined; id = left.shift()) {
    const outcome = await attacker.attack(id);
    outcomes.push(outcome);
    const { statuses, targets, failure } = outcome;
    say(`${id} ${JSON.stringify(statuses)}, ${targets} targets, ${costOf(outcome)}`);
    if (failure === undefined) continue;
    say(`FAILED ${id}: ${failure}`);
    attacker.stop();
    attacker = await startProcess();
  }
  attacker.stop();
};

await prepareService();
say(`${requests} requests for each of ${left.length} endpoints, ${processes} processes, HOSTILE_SEED=${seed}`);
await Promise.all(Array.from({ length: processes }, attackOneAfterTheOther));
const failed = outcomes.filter(({ failure }) => failure !== undefined);
const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((before, outcome) => before + of(outcome), 0);
const all = { ...nothing, requests: sum((each) => each.requests), milliseconds: sum((each) => each.milliseconds) };
say(`${all.requests} requests, ${costOf(all)}; ${failed.length} of ${outcomes.length} endpoints failed`);
process.exitCode = failed.length > 0 ? 1 : 0;
