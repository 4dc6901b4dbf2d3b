import { setTimeout as pause } from 'node:timers/promises';
import { getHealth } from '../../functions/system/contracts.ts';
import { chunksOf } from '../../shared/chunks.ts';
import { environment } from '../../shared/config.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import { oneOfEach, sampleOf, today } from '../harness/sampling.ts';
import { reachingLoopback, useService } from '../harness/service.ts';
import { refusing, trickling } from '../harness/upstream.ts';
import { keptOf, nothing, useBadRemotes } from './cases.ts';
import { content, goodText, type Part, type Type, types } from './kinds.ts';
import { type Outcome, type Way, ways } from './ways.ts';

/** Of this time an upstream has half to begin an answer, and three quarters for 16 kB of it. */
const answerMilliseconds = 3_000;
const service = useService({
  environment: { ...reachingLoopback, [environment.upstreamAnswerMilliseconds]: `${answerMilliseconds}` },
});
const { get, follow, remote, run } = useBadRemotes(service);

/** Whether each type meets each way, as `npm run test:upstreams` lets them; `npm test` takes one type for each way in turn. */
const allWays = process.env.ALL_WAYS !== undefined;

interface Case {
  readonly title: string;
  readonly type: Type;
  readonly way: Way;
  readonly outcome: Outcome;
}

const cases: readonly Case[] = Object.entries<Way>(ways).flatMap(([title, way], turn) => {
  const able = way.types ?? types;
  return (allWays ? able : sampleOf(able, turn)).map((type) => {
    const outcome = way.outcomes?.[type] ?? way.outcome;
    return { title, type, way, outcome };
  });
});
const refusalOf = (outcome: Outcome): ErrorCode | undefined =>
  typeof outcome === 'object' && 'refusal' in outcome ? outcome.refusal : undefined;
const nameOf = ({ title, type }: Pick<Case, 'title' | 'type'>): string => `${type} ${title}`;

const endlessOf = (part: Part, able: readonly Type[]) => oneOfEach([able], allWays).map((type) => ({ type, part }));
const endless = [
  ...endlessOf('file', types),
  ...endlessOf(
    'index',
    types.filter((type) => type !== 'universal'),
  ),
];

/** The types whose upstream is down. */
const down = allWays ? types : sampleOf(types, today, 2);

/** What becomes of a request for what never ends, of the last request that waits, and of those after the upstream hung up. */
const runEndless = async (type: Type, part: Part) => {
  const { upstream, repository, recover, badAnswers } = await remote(type, { part, answer: trickling(60_000) });
  const first = await get(type, repository, part);
  const last = await get(type, repository, part, '?wait=5');
  const kept = await keptOf(repository, part);
  // The second to ask is the worker, which a busy machine starts late.
  for (let looks = 0; badAnswers() < 2 && looks < 500; looks += 1) await pause(20);
  recover();
  upstream.hangUp();
  const afterwards = await get(type, repository, part, '?wait=2');
  return { first, last, kept, afterwards, next: await follow(type, repository, part) };
};

const runDown = async (type: Type) => {
  const { upstream, repository, recover } = await remote(type, { part: 'file', answer: refusing(500) });
  const { host } = upstream;
  await upstream.stop();
  const first = await get(type, repository, 'file');
  const kept = await keptOf(repository, 'file');
  await upstream.start(Number(host.split(':')[1]));
  recover();
  return { host, first, kept, next: await follow(type, repository, 'file') };
};

const outcomes = new Map<string, Awaited<ReturnType<typeof run>>>();
const endlessOutcomes = new Map<string, Awaited<ReturnType<typeof runEndless>>>();
const outcomeOf = <T>(of: ReadonlyMap<string, T>, name: string): T => {
  const found = of.get(name);
  if (!found) throw new Error('The case did not end.');
  return found;
};

/** How long answers about the health of the service took meanwhile, in milliseconds. */
const healthTook: number[] = [];
const over = new AbortController();
const lookAfterHealth = async (): Promise<void> => {
  while (!over.signal.aborted) {
    const startedAt = performance.now();
    expect((await service.client.call(getHealth, {})).status).toBe(200);
    healthTook.push(performance.now() - startedAt);
    await pause(allWays ? 10 : 40);
  }
};

const settle = async (each: Case): Promise<void> => void outcomes.set(nameOf(each), await run(each.type, each.way));

/** Of those that wait most of the time, more run at once. */
const runAll = async (): Promise<void> => {
  const waiting = cases.filter(({ outcome }) => refusalOf(outcome) === 'UPSTREAM_TIMEOUT');
  const others = cases.filter((each) => !waiting.includes(each));
  for (const batch of chunksOf(waiting, 10)) await Promise.all(batch.map(settle));
  // The worker goes on with five fetches of a workspace at most.
  for (const batch of chunksOf(endless, 5))
    await Promise.all(
      batch.map(async ({ type, part }) => void endlessOutcomes.set(`${type} ${part}`, await runEndless(type, part))),
    );
  for (const batch of chunksOf(others, 6)) await Promise.all(batch.map(settle));
};

beforeAll(async () => {
  // What is measured is not the start of the function.
  await service.client.call(getHealth, {});
  const looking = lookAfterHealth();
  await runAll();
  over.abort();
  await looking;
}, 240_000);

/** A service that is unharmed is busy with other suites at most; the script has the machine for itself. */
const healthMillisecondsMax = allWays ? 1_000 : 5_000;

describe('An upstream that misbehaves is answered as promised, leaves nothing half done, and is asked again', () => {
  it.each(cases)('$type: it $title', (each) => {
    const { host, first, kept, paused, next } = outcomeOf(outcomes, nameOf(each));
    const { outcome, way, type } = each;
    if (outcome === 'absent') {
      expect([first.status, next.status, kept]).toEqual([404, 404, nothing]);
      return;
    }
    if ('served' in outcome) {
      expect([first.status, first.text]).toEqual([200, outcome.served]);
      expect([next.status, next.text]).toEqual([200, outcome.served]);
      return;
    }
    const { sentence, refusal } = outcome;
    const detail = first.problem?.detail ?? '';
    expect([first.code, detail.split(' ')[0]]).toEqual([refusal, host]);
    const rest = detail.slice(host.length + 1);
    if (typeof sentence === 'string') expect(rest).toBe(`${sentence}.`);
    else expect(rest).toMatch(sentence);
    expect(kept).toEqual(nothing);
    expect([next.status, next.text]).toEqual([200, goodText(type, way.part)]);
    // A pause is what the upstream asks for, or ours to choose. Without an answer, we say when to try again.
    const waitSeconds = way.pauseSeconds ?? (refusal === 'UPSTREAM_TIMEOUT' ? 10 : undefined);
    expect(first.headers['retry-after']).toBe(waitSeconds?.toString());
    if (!paused) return;
    expect(paused.problem?.detail).toContain('accepts no requests until');
    const leftSeconds = Number(paused.headers['retry-after']);
    expect(leftSeconds).toBeGreaterThan((way.pauseSeconds ?? 0) - 20);
    expect(leftSeconds).toBeLessThanOrEqual(way.pauseSeconds ?? 0);
  });

  it.each(down)('%s: it is down', async (type) => {
    const { host, first, kept, next } = await runDown(type);
    expect([first.code, first.problem?.detail, kept]).toEqual([
      'UPSTREAM_TIMEOUT',
      `${host} could not be reached: ECONNREFUSED.`,
      nothing,
    ]);
    expect(next.text).toBe(content);
  });

  it.each(endless)('$type: its $part never ends', ({ type, part }) => {
    const { first, last, kept, afterwards, next } = outcomeOf(endlessOutcomes, `${type} ${part}`);
    expect(first.headers.location).toMatch(/\?wait=1$/);
    expect([last.code, kept]).toEqual(['FILE_PENDING', nothing]);
    expect([afterwards.code, afterwards.problem?.detail]).toEqual([
      'UPSTREAM_FAILED',
      expect.stringMatching(/broke its answer off|sent no valid HTTP/),
    ]);
    expect(next.text).toBe(goodText(type, part));
  });

  it('does not keep the service from others', () => {
    const took = healthTook.toSorted((one, other) => one - other);
    expect(took.length).toBeGreaterThan(100);
    expect(took[Math.ceil(took.length * 0.99) - 1]).toBeLessThan(healthMillisecondsMax);
  });
});

describe('The metrics', () => {
  const counted = (name: string): number =>
    service.logs
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      // Requests that run at the same time in one process share a line.
      .flatMap((line) => ('_aws' in line ? [line[name] ?? 0].flat() : []))
      .reduce<number>((sum, count) => sum + Number(count), 0);
  const refusals = cases.filter(({ outcome }) => refusalOf(outcome) !== undefined);

  it('count each failure of an upstream, and each file that is not the promised one', () => {
    // Those who ask during a pause are refused, too. The tests that are no case of the table: all are down, and all never end.
    const paused = cases.filter(({ way }) => way.pauseSeconds !== undefined);
    const others = down.length + endless.length;
    expect(counted('upstreamFailures')).toBe(refusals.length + paused.length + others);
    const isOtherFile = ({ outcome }: Case): boolean => JSON.stringify(outcome).includes('not the promised one');
    expect(counted('integrityRejections')).toBe(cases.filter(isOtherFile).length);
  });

  it('count none of it as a fault of the service, by which a release would be rolled back', () => {
    expect(counted('refusals')).toBeGreaterThan(refusals.length);
    expect(counted('faults')).toBe(0);
  });
});
