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
  readonly admitLarge: readonly number[];
  readonly wordLarge: readonly number[];
}

/** Each process compiles both functions anew, and not always alike: the median is taken over all of them. */
const processes = 3;

const smallMicrosecondsMax = 10;
const batchMicrosecondsMax = 120;

const overhead = (pairs: Pairs): number => median(pairs.map(([ours, bare]) => ours - bare));

/** CPU of a warm request beyond the same SDK calls and the same JSON work, the table stubbed at the socket. */
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
      silent: () => measure({ POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' }),
      logging: () => measure({}),
    },
    60,
  );
  const figure = (what: string, max: number, of: 'small' | 'large'): Figure => {
    const [silent, logging] = [measured.silent, measured.logging].map((each) => each.flatMap((one) => one[of]));
    return {
      row: `warm overhead of the pipeline: ${what}`,
      against: `a bare function with the same SDK calls and JSON work (${median((silent ?? []).map(([, bare]) => bare)).toFixed(0)} µs)`,
      goal: `≤ ${max} µs beyond it`,
      figure: `${overhead(silent ?? []).toFixed(0)} µs; ${overhead(logging ?? []).toFixed(0)} µs with the log line and the metrics written`,
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
      row: 'warm overhead of the pipeline: what holds it back',
      against: '',
      goal: 'none: its parts alone, and how far the method sees',
      figure: `the steps with nothing to do ${alone('empty')}; reading and checking the small body ${alone('readSmall')}, the batch ${alone('readLarge')}; asking for and finding the 106 keys of the batch ${alone('admitLarge')}; wording its update ${alone('wordLarge')}; the bare function against a copy of itself ${apart.map((each) => each.toFixed(0)).join(', ')} µs`,
      met: 'for comparison',
    },
  ];
};
