import { deleteVerdict, getVerdict, updateVerdict } from '../../../functions/verdicts/contracts.ts';
import { buildFixture } from '../../harness/fixture.ts';
import { useService } from '../../harness/service.ts';

const service = useService();

describe('The deletion of a verdict', () => {
  it('leaves those on other names', async () => {
    const { workspace, workspaceAdmin } = await buildFixture(service);
    const asked = (name: string) => ({
      params: { workspace: workspace.id, packageType: 'npm', package: name },
      as: workspaceAdmin.bearer,
    });
    const body = { verdict: 'block' as const, versions: ['*'], reason: 'Hijacked' };
    for (const name of ['axios', 'axios*']) await service.client.succeed(updateVerdict, { ...asked(name), body });
    expect(await service.client.succeed(deleteVerdict, asked('axios*'))).toEqual({
      workspaceId: workspace.id,
      packageType: 'npm',
      package: 'axios*',
      status: 'deleted',
    });
    expect((await service.client.succeed(getVerdict, asked('axios'))).package).toBe('axios');
  });
});
