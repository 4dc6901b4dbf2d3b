import { addMemberToRepositories } from '../../functions/members/contracts.ts';
import { createLocalRepository } from '../../functions/repositories/contracts.ts';
import { getHealth } from '../../functions/system/contracts.ts';
import { type Figure, inTurns, median } from './report.ts';
import { functionVariables, type Workbench } from './workbench.ts';

type Pairs = readonly (readonly [ours: number, bare: number])[];
interface Measured {
  readonly small: Pairs;
  readonly large: Pairs;
  readonly twins: Pairs;
  readonly empty: readonly number[];
  readonly readSmall: readonly number[];
  readonly readLarge: readonly number[];
  readonly authorizeLarge: readonly number[];
  readonly planLarge: readonly number[];
}

/** Each process compiles both functions again, with different results: the median is that of all processes. */
const processes = 3;

const smallMicrosecondsMax = 10;
const batchMicrosecondsMax = 120;

const overhead = (pairs: Pairs): number => median(pairs.map(([ours, bare]) => ours - bare));

/** CPU time of a warm request beyond that of the same SDK calls and JSON work, with a stub instead of the table. */
export const warmOverhead = async (workbench: Workbench): Promise<Figure[]> => {
  const files = [createLocalRepository.id, addMemberToRepositories.id, getHealth.id].map((id) => workbench.bundle(id));
  const measure = async (variables: Readonly<Record<string, string>>) => {
    const { message } = await workbench.run(
      workbench.built('processes/warm'),
      [...files, workbench.built('yardsticks/table-calls')],
      { ...functionVariables, AWS_ENDPOINT_URL_DYNAMODB: 'http://table.invalid', ...variables },
    );
    return message as Measured;
  };
  const measured = await inTurns(
    processes,
    {
      silent: () => measure({ LOG_SILENT: 'true' }),
      logging: () => measure({}),
    },
    60,
  );
  const figure = (what: string, max: number, of: 'small' | 'large'): Figure => {
    const [silent, logging] = [measured.silent, measured.logging].map((each) => each.flatMap((one) => one[of]));
    return {
      row: `warm overhead of the pipeline: ${what}`,
      against: `a bare function with the same SDK calls and JSON work (${median((silent ?? []).map(([, bare]) => bare)).toFixed(0)} µs)`,
      goal: `at most ${max} µs more`,
      figure: `${overhead(silent ?? []).toFixed(0)} µs; ${overhead(logging ?? []).toFixed(0)} µs with log line and metrics`,
      met: overhead(silent ?? []) <= max,
    };
  };
  const alone = (part: Exclude<keyof Measured, 'small' | 'large' | 'twins'>) =>
    `${median(measured.silent.flatMap((one) => one[part])).toFixed(0)} µs`;
  const apart = measured.silent.map(({ twins }) => overhead(twins));
  return [
    figure('a small body', smallMicrosecondsMax, 'small'),
    figure('a batch of 100', batchMicrosecondsMax, 'large'),
    {
      row: 'warm overhead of the pipeline: what limits it',
      against: '',
      goal: 'none: its parts alone, and the resolution of the method',
      figure: `the steps without work ${alone('empty')}; parsing and validating the small body ${alone('readSmall')}, the batch ${alone('readLarge')}; requesting and finding the 122 keys of the batch ${alone('authorizeLarge')}; planning its 17 writes ${alone('planLarge')}; the bare function compared with a copy of itself ${apart.map((each) => each.toFixed(0)).join(', ')} µs`,
      met: 'for comparison',
    },
  ];
};
