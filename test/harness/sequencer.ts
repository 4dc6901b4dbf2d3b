import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import type * as jest from '@jest/test-sequencer';

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as typeof jest.default;

type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

/** Suites that keep a processor busy for long. At the end they would run alone. */
const long = [
  'rights/least-privilege',
  'infra/local/main',
  'rights/access-matrix',
  'infra/template',
  'rights/tenants',
  'infra/local/runner',
];

/** Suites that mostly wait, for limits of time that they let pass, and the seconds that each takes. */
const waiting = {
  'shared/packages/upstream/circuit-breaker': 45,
  'functions/fetcher': 43,
  'faults/endpoints': 41,
  'upstreams/worker-slots': 22,
  'races/shared-questions': 22,
  'functions/repositories/create-local-repository-under-faults': 20,
  'shared/table/client': 19,
  'door/strangers': 13,
  'faults/full-disk': 13,
  'functions/system/get-readiness': 13,
  'functions/universal/get-universal-file-from-upstream': 12,
  'shared/table/lost-replies': 12,
  'door/busy-service': 11,
  'shared/packages/failing-upstreams': 11,
  'shared/packages/queued-fetches': 11,
  'functions/authorizer': 11,
  'upstreams/misbehaving': 11,
  'sweeps/sweeper': 10,
  'infra/local/edge': 10,
  'shared/table/retries': 10,
  'upstreams/late-answers': 19,
  'infra/local/events': 9,
  'shared/upstream/slow-upstreams': 8,
  'shared/upstream/hard-upstreams': 5,
};

const tests = join(import.meta.dirname, '..');
const pathOf = (name: string): string => join(tests, `${name}.test.ts`);

/** When each of these begins, as a part of the run: 0 is its beginning, 1 its end. */
const begins = new Map(long.map((name) => [pathOf(name), 0]));
const allSeconds = Object.values(waiting).reduce((sum, seconds) => sum + seconds);
let before = 0;
for (const [name, seconds] of Object.entries(waiting)) {
  begins.set(pathOf(name), (before / allSeconds) * 0.9);
  before += seconds;
}

/** Any name that says nothing about the suite. */
const mixedName = ({ path }: Tests[number]): string => hash('sha1', relative(tests, path));

/**
 * The order of the suites, the same in each run: long ones come first, and those that wait are spread over the run, because side
 * by side they would leave nothing for the processor to do. The others are mixed: those of one folder need much alike.
 */
export default class extends Sequencer {
  override sort(suites: Tests): Tests {
    const missing = Array.from(begins.keys()).find((path) => !existsSync(path));
    if (missing) throw new Error(`There is no ${relative(tests, missing)}: name it as it is in harness/sequencer.ts.`);
    const mixed = suites.toSorted((one, other) => mixedName(one).localeCompare(mixedName(other)));
    const placed = mixed.map((suite, index) => ({ suite, begin: begins.get(suite.path) ?? index / mixed.length }));
    return placed.toSorted((one, other) => one.begin - other.begin).map(({ suite }) => suite);
  }
}
