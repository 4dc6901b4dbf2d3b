import { deleteTrust, getTrust } from '../../../functions/trusts/contracts.ts';
import { buildFixture } from '../../harness/fixture.ts';
import { useService } from '../../harness/service.ts';
import { trustOf } from '../../harness/trusts.ts';

const service = useService();

describe('A deleted trust', () => {
  it('is gone, and its name is free', async () => {
    const fixture = await buildFixture(service);
    const { id, name } = await trustOf(fixture);
    const as = fixture.workspaceAdmin.bearer;
    const params = { workspace: fixture.workspace.id, trust: name };
    expect(await service.client.succeed(deleteTrust, { params, as })).toEqual({ trustId: id, status: 'deleted' });
    expect((await service.client.call(deleteTrust, { params, as })).code).toBe('TRUST_NOT_FOUND');
    expect((await service.client.call(getTrust, { params: { ...params, trust: id }, as })).code).toBe(
      'TRUST_NOT_FOUND',
    );
    expect((await trustOf(fixture, { name })).id).not.toBe(id);
  });
});
