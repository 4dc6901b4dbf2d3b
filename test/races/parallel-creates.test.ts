import { createLocalRepository } from '../../functions/repositories/contracts.ts';
import { getWorkspace } from '../../functions/workspaces/contracts.ts';
import { statusCounts } from '../harness/concurrency.ts';
import { useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';

const service = useService();

interface Series {
  readonly p99: number;
  readonly told: string;
}

/** Creates 32 repositories at once in one workspace, in several workspaces one after the other. */
const measure = async (bursts = 6): Promise<Series> => {
  const { bearer: as } = await service.world.systemAdmin();
  const milliseconds: number[] = [];
  let writes = 0;
  for (let burst = 0; burst < bursts; burst += 1) {
    const workspace = await service.world.workspace();
    const params = { workspace: workspace.id };
    service.proxy.conflictsLikeDynamoDb = true;
    service.proxy.forget();
    const answers = await Promise.all(
      Array.from({ length: 32 }, async () => {
        const start = performance.now();
        const body = { name: uniqueName(), packageType: 'npm' } as const;
        const answer = await service.client.call(createLocalRepository, { params, body, as });
        milliseconds.push(performance.now() - start);
        return answer;
      }),
    );
    service.proxy.conflictsLikeDynamoDb = false;
    writes += service.proxy.writes.length;
    expect(statusCounts(answers)).toEqual({ 201: 32 });
    expect((await service.client.succeed(getWorkspace, { params, as })).repositoryCount).toBe(32);
  }
  const sorted = milliseconds.toSorted((one, other) => one - other);
  const at = (share: number): number => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
  const perCreate = (writes / sorted.length).toFixed(1);
  return { p99: at(0.99), told: `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${perCreate} transactions per create` };
};

describe('32 parallel creates in one workspace, with conflicts as DynamoDB produces them', () => {
  it('all succeed, in less than 2 s at the 99th percentile', async () => {
    // The first request starts the function.
    const { bearer: as } = await service.world.systemAdmin();
    const params = { workspace: (await service.world.workspace()).id };
    await service.client.succeed(createLocalRepository, {
      params,
      body: { name: uniqueName(), packageType: 'npm' },
      as,
    });
    let best = Number.POSITIVE_INFINITY;
    // The machine may be busy with other suites: the best of three series tells what the design can do.
    for (let series = 0; series < 3 && best >= 2_000; series += 1) {
      const { p99, told } = await measure();
      process.stdout.write(`32 parallel creates: ${told}\n`);
      best = Math.min(best, p99);
    }
    expect(best).toBeLessThan(2_000);
  }, 120_000);
});
