import { setTimeout as pause } from 'node:timers/promises';
import { useService } from './harness/service.ts';

interface MetricLine {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
  readonly [name: string]: unknown;
}

const emfOf = ({ _aws: emf }: MetricLine) => emf.CloudWatchMetrics;

const service = useService();

/** The first line in CloudWatch's embedded metric format that holds something, and how many there are of them. */
const metricLine = async (holds: (line: MetricLine) => boolean): Promise<{ line: MetricLine; count: number }> => {
  for (;;) {
    const lines = service.logs
      .filter((line) => line.includes('"_aws"'))
      .map((line) => JSON.parse(line) as MetricLine)
      .filter(holds);
    if (lines[0]) return { line: lines[0], count: lines.length };
    // The lines of a function arrive a moment after its answer.
    await pause(20);
  }
};

const get = async (path: string, authorization?: string) =>
  fetch(`${service.runner.url}${path}`, { headers: authorization ? { Authorization: authorization } : {} });

describe('the metrics', () => {
  it('are one line for a request, for the whole service', async () => {
    await get('/healthz');
    const { line, count } = await metricLine(({ requests }) => requests === 1);
    expect([line, count]).toEqual([expect.objectContaining({ service: 'stockroom' }), 1]);
    expect(emfOf(line)).toEqual([
      { Namespace: 'Stockroom-dev', Dimensions: [['service']], Metrics: [{ Name: 'requests', Unit: 'Count' }] },
    ]);
  });

  it('count a refusal in one line too, also by its reason', async () => {
    const { bearer } = await service.world.systemAdmin();
    await get('/1/workspaces/no-such', bearer);
    const { line, count } = await metricLine(({ reason }) => reason === 'WORKSPACE_NOT_FOUND');
    expect([line, count]).toEqual([expect.objectContaining({ requests: 1, refusals: 1 }), 1]);
    expect(emfOf(line)[0]?.Dimensions).toEqual([['service'], ['service', 'reason']]);
  });

  it('count conflicts that were tried again', async () => {
    service.proxy.inject({ fault: 'conflict', operation: 'TransactWriteItems', times: 2 });
    await service.world.workspace();
    const { line } = await metricLine(({ conflictsRetried }) => conflictsRetried !== undefined);
    expect(line).toMatchObject({ conflictsRetried: 2, requests: 1, service: 'stockroom' });
  });

  it('count wrong passwords, without a word of them', async () => {
    await get('/1/users/me', `Basic ${Buffer.from('nobody:wrong-password').toString('base64')}`);
    const { line, count } = await metricLine(({ passwordFailures }) => passwordFailures !== undefined);
    expect([line.passwordFailures, count]).toEqual([1, 1]);
    expect(JSON.stringify(line)).not.toMatch(/nobody|wrong-password/);
  });
});
