import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as jest from '@jest/test-sequencer';

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as typeof jest.default;

type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

/** Small files that take long. */
const slow = ['hostile', 'tenants', 'access-matrix', 'table-calls', 'growth', 'template'];

/** Suites that wait for most of their time, such as for calls that hang; the longest is the first. */
const waiting = [
  'faults',
  'package-kills',
  'fetcher',
  'main',
  'npm',
  'misbehaving-upstreams',
  'create-local-repository-under-faults',
  'publish-upload-under-faults',
  'door-slow-clients',
  'client',
  'object-store-process',
  'door-busy-service',
  'get-readiness',
  'failing-upstreams',
];

const isNamed = (name: string, { path }: Tests[number]): boolean => path.endsWith(`/${name}.test.ts`);

/** Puts some suites among the others, at even distances by the sizes of their files. */
const spread = (some: Tests, others: Tests): Tests => {
  const sizes = others.map(({ path }) => statSync(path).size);
  const distance = sizes.reduce((sum, size) => sum + size, 0) / some.length;
  const left = [...some];
  let passed = 0;
  const order = others.flatMap((test, index) => {
    const next = passed >= (some.length - left.length) * distance ? left.splice(0, 1) : [];
    passed += sizes[index] ?? 0;
    return [...next, test];
  });
  return [...order, ...left];
};

/**
 * The order of the suites. Jest begins with the largest files, until it knows the times of an earlier run: in a fresh clone
 * the small files that take long would come last, and run alone. Suites that wait leave the processor to others, but not when
 * all that run at once do.
 */
export default class extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    // oxlint-disable-next-line unicorn/no-array-sort -- this is no array
    const usual = await super.sort(tests);
    const first = (test: Tests[number]): number => (slow.some((name) => isNamed(name, test)) ? 0 : 1);
    const waits = waiting.flatMap((name) => usual.filter((test) => isNamed(name, test)));
    const others = usual.filter((test) => !waits.includes(test));
    return spread(
      waits,
      others.toSorted((one, other) => first(one) - first(other)),
    );
  }
}
