import { getCurrentUser } from '../../functions/users/contracts.ts';
import { createWorkspace } from '../../functions/workspaces/contracts.ts';
import { useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';

interface FailureLine {
  readonly operation: string;
  readonly code: string;
  readonly failure: { readonly name: string; readonly stack: string };
}

const service = useService();

/** The failures that a function logged. */
const failures = (functionId: string): FailureLine[] =>
  service.logs
    .filter((line) => line.includes('"failure"'))
    .map((line) => JSON.parse(line) as FailureLine)
    .filter(({ operation }) => operation === functionId);

describe('the log line of a failure', () => {
  it('names places in our sources, not in the bundle', async () => {
    const { bearer } = await service.world.systemAdmin();
    service.proxy.inject({ fault: 'server-error', operation: 'BatchGetItem', functionId: getCurrentUser.id });
    const answer = await service.client.call(getCurrentUser, { as: bearer, mayFail: true });
    expect(answer.status).toBe(503);
    const lines = failures(getCurrentUser.id);
    expect(lines).toEqual([expect.objectContaining({ operation: getCurrentUser.id, code: 'SERVICE_UNAVAILABLE' })]);
    const stack = lines[0]?.failure.stack ?? '';
    expect(stack).toMatch(/ \(?shared\/table\/reading-table\.ts:\d+:\d+/);
  });

  it('names only the files of libraries', async () => {
    const { bearer } = await service.world.systemAdmin();
    service.proxy.inject({ fault: 'server-error', operation: 'TransactWriteItems', functionId: createWorkspace.id });
    const body = { name: uniqueName() };
    const answer = await service.client.call(createWorkspace, { as: bearer, body, mayFail: true });
    expect(answer.status).toBe(503);
    expect(failures(createWorkspace.id)[0]?.failure.stack).toContain('node_modules/@smithy/core/');
  });
});
