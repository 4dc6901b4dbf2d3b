import { addMemberToRepositories } from '../../functions/members/contracts.ts';
import { createLocalRepository } from '../../functions/repositories/contracts.ts';
import { type Figure, median } from './report.ts';
import { functionVariables, type Workbench } from './workbench.ts';

type Pairs = readonly (readonly [ours: number, bare: number])[];

const smallMicrosecondsMax = 10;
const batchMicrosecondsMax = 120;

const overhead = (pairs: Pairs): number => median(pairs.map(([ours, bare]) => ours - bare));

/** CPU of a warm request beyond the same SDK calls and the same JSON work, the table stubbed at the socket. */
export const warmOverhead = async (workbench: Workbench): Promise<Figure[]> => {
  const files = [createLocalRepository.id, addMemberToRepositories.id].map((id) => workbench.bundle(id));
  const measure = async (variables: Readonly<Record<string, string>>) => {
    const { message } = await workbench.run(
      workbench.built('processes/warm'),
      [...files, workbench.built('yardsticks/table-calls')],
      { ...functionVariables, AWS_ENDPOINT_URL_DYNAMODB: 'http://table.invalid', ...variables },
    );
    return message as { small: Pairs; large: Pairs };
  };
  const silent = await measure({ POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' });
  const logging = await measure({});
  const figure = (what: string, max: number, of: 'small' | 'large'): Figure => ({
    row: `warm overhead of the pipeline: ${what}`,
    against: `a bare function with the same SDK calls and JSON work (${median(silent[of].map(([, bare]) => bare)).toFixed(0)} µs)`,
    goal: `≤ ${max} µs beyond it`,
    figure: `${overhead(silent[of]).toFixed(0)} µs; ${overhead(logging[of]).toFixed(0)} µs with the log line and the metrics written`,
    met: overhead(silent[of]) <= max,
  });
  return [
    figure('a small body', smallMicrosecondsMax, 'small'),
    figure('a batch of 100', batchMicrosecondsMax, 'large'),
  ];
};
