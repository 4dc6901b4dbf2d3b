import { listTrusts } from '../../../functions/trusts/contracts.ts';
import { buildFixture } from '../../harness/fixture.ts';
import { useService } from '../../harness/service.ts';
import { trustOf } from '../../harness/trusts.ts';

const service = useService();

describe('The trusts of a workspace', () => {
  it('are listed by name, in pages too', async () => {
    const fixture = await buildFixture(service);
    for (const name of ['b', 'a', 'c']) await trustOf(fixture, { name });
    const as = fixture.workspaceAdmin.bearer;
    const params = { workspace: fixture.workspace.id };
    const all = await service.client.succeed(listTrusts, { params, as });
    expect(all.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    const page = await service.client.call(listTrusts, { params, as, query: { limit: 2 } });
    expect(page.result?.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(page.headers.link).toContain('rel="next"');
  });
});
