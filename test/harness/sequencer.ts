import { createRequire } from 'node:module';
import type * as jest from '@jest/test-sequencer';

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as typeof jest.default;

type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

/** Small files that take long. */
const slow = [
  'hostile/endpoints',
  'tenants',
  'access-matrix',
  'table-calls',
  'growth',
  'main',
  'template',
  'get-readiness',
];

const rank = ({ path }: Tests[number]): number => (slow.some((name) => path.endsWith(`/${name}.test.ts`)) ? 0 : 1);

/**
 * The order of the suites. Jest begins with the largest files, until it knows the times of an earlier run: in a fresh clone
 * the small files that take long would come last, and run alone.
 */
export default class extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    // oxlint-disable-next-line unicorn/no-array-sort -- this is no array
    return (await super.sort(tests)).toSorted((one, other) => rank(one) - rank(other));
  }
}
