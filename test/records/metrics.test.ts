import { setTimeout as pause } from 'node:timers/promises';
import { createWorkspace } from '../../functions/workspaces/contracts.ts';
import { useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';

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

/** The first line of the log that holds something, and how many there are of them. */
const logLine = async <Line>(holds: (line: Line) => boolean): Promise<{ line: Line; count: number }> => {
  // The lines of a function arrive a moment after its answer.
  for (let round = 0; round < 500; round += 1) {
    const lines = service.logs.map((line) => JSON.parse(line) as Line).filter(holds);
    if (lines[0]) return { line: lines[0], count: lines.length };
    await pause(20);
  }
  throw new Error('The log has no such line.');
};

/** As above, of the lines in CloudWatch's embedded metric format. */
const metricLine = async (holds: (line: MetricLine) => boolean) =>
  logLine<MetricLine>((line) => '_aws' in line && holds(line));

const get = async (path: string, authorization?: string) =>
  fetch(`${service.runner.url}${path}`, { headers: authorization ? { Authorization: authorization } : {} });

/** A request that writes in a transaction. */
const write = async () => {
  const { bearer } = await service.world.systemAdmin();
  await service.client.succeed(createWorkspace, { body: { name: uniqueName() }, as: bearer });
};

describe('the metrics', () => {
  it('are one line for a request, for the whole service', async () => {
    await get('/healthz');
    const { line, count } = await metricLine(({ requests }) => requests === 1);
    expect([line, count]).toEqual([expect.objectContaining({ service: 'stockroom' }), 1]);
    expect(emfOf(line)).toEqual([
      { Namespace: 'Stockroom-dev', Dimensions: [['service']], Metrics: [{ Name: 'requests' }] },
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
    await write();
    const { line } = await metricLine(({ conflictsRetried }) => conflictsRetried !== undefined);
    expect(line).toMatchObject({ conflictsRetried: 2, requests: 1, service: 'stockroom' });
  });

  it('count calls that the table had no capacity for', async () => {
    service.proxy.inject({ fault: 'throttle', operation: 'TransactWriteItems', times: 2 });
    await write();
    const { line } = await metricLine(({ tableThrottles }) => tableThrottles !== undefined);
    expect(line).toMatchObject({ tableThrottles: 2, requests: 1, service: 'stockroom' });
  });

  it('count a failure of the service as a fault, and a refusal of the client not', async () => {
    service.proxy.inject({ fault: 'server-error', functionId: 'workspaces/list-workspaces' });
    const { bearer } = await service.world.systemAdmin();
    await get('/1/workspaces', bearer);
    const { line } = await metricLine(({ reason }) => reason === 'SERVICE_UNAVAILABLE');
    expect(line).toMatchObject({ refusals: 1, faults: 1 });
    const counted = service.logs.map((each) => JSON.parse(each) as MetricLine).filter((each) => each.refusals === 1);
    expect(counted.find(({ reason }) => reason === 'WORKSPACE_NOT_FOUND')?.faults).toBeUndefined();
  });

  it('count wrong passwords, without a word of them', async () => {
    await get('/1/users/me', `Basic ${Buffer.from('nobody:wrong-password').toString('base64')}`);
    const { line, count } = await metricLine(({ passwordFailures }) => passwordFailures !== undefined);
    expect([line.passwordFailures, count]).toEqual([1, 1]);
    expect(JSON.stringify(line)).not.toMatch(/nobody|wrong-password/);
  });
});

describe('the log', () => {
  it('has whole milliseconds: at least as many as the table made a request wait', async () => {
    const { bearer } = await service.world.systemAdmin();
    service.proxy.inject({ fault: 'throttle', functionId: 'users/get-current-user', times: 4 });
    const requestId = (await get('/1/users/me', bearer)).headers.get('X-Request-Id');
    const { line } = await logLine<Record<string, unknown>>((each) => each.requestId === requestId);
    expect(line.durationMilliseconds).toBeGreaterThan(4);
    expect(Number.isInteger(line.durationMilliseconds)).toBe(true);
  });

  it.each([
    ['OK', '/1/users/me', 200, 'users/get-current-user'],
    ['REQUEST_INVALID', '/1/users?limit=0', 400, 'users/list-users'],
    ['WORKSPACE_NOT_FOUND', '/1/workspaces/no-such', 404, 'workspaces/get-workspace'],
  ])('has one line for a request, with its ID, who, by which token, and the outcome %s', async (...row) => {
    const [outcome, path, status, operation] = row;
    const { userId, tokenId, bearer } = await service.world.systemAdmin();
    const requestId = (await get(path, bearer)).headers.get('X-Request-Id');
    const { line, count } = await logLine<Record<string, unknown>>((each) => each.requestId === requestId);
    const { timestamp, durationMilliseconds, table, _aws, ...rest } = line;
    expect(count).toBe(1);
    // It is the line of its metrics, too.
    expect(_aws).toEqual({ Timestamp: expect.any(Number) as unknown, CloudWatchMetrics: [expect.anything()] });
    const refusal = { reason: outcome, refusals: 1 };
    expect(rest).toEqual({
      requests: 1,
      ...(outcome !== 'OK' && refusal),
      level: 'INFO',
      message: 'request',
      service: 'stockroom',
      requestId,
      operation,
      path: path.split('?')[0],
      status,
      outcome,
      principalId: userId,
      tokenId,
    });
    expect(Date.parse(String(timestamp))).toEqual(expect.any(Number));
    expect([durationMilliseconds, Number.isInteger(durationMilliseconds)]).toEqual([durationMilliseconds, true]);
    expect(table).toEqual({ calls: expect.any(Number) as unknown });
  });
});
