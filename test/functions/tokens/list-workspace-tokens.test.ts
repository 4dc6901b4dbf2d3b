import { listWorkspaceTokens } from '../../../functions/tokens/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { tokenKey } from '../../../shared/table/keys.ts';
import { useService } from '../../harness/service.ts';

const service = useService();

describe('GET /1/workspaces/{workspace}/tokens', () => {
  it('lists the tokens of the workspace, and those that were long unused apart', async () => {
    const workspace = await service.world.workspace();
    const { bearer: as } = await service.world.systemAdmin();
    const [used, unused] = await Promise.all([
      service.world.workspaceToken(workspace, 'canView'),
      service.world.workspaceToken(workspace, 'canView'),
    ]);
    const longAgo = new Date(Date.now() - 91 * 86_400_000).toISOString();
    const update = tokenKey(unused.tokenId);
    await new Table().update({ update, set: 'SET #createdAt = :longAgo', values: { ':longAgo': longAgo } });
    const listed = async (query = {}) => {
      const params = { workspace: workspace.id };
      const tokens = await service.client.succeed(listWorkspaceTokens, { params, query, as });
      return new Map(tokens.map((token) => [token.id, token.unused]));
    };
    expect(await listed()).toEqual(
      new Map([
        [used.tokenId, false],
        [unused.tokenId, true],
      ]),
    );
    expect(await listed({ unused: 'true' })).toEqual(new Map([[unused.tokenId, true]]));
    // Once it is used, it is no longer unused.
    await service.client.call(listWorkspaceTokens, { params: { workspace: workspace.id }, as: unused.bearer });
    expect(await listed({ unused: 'true' })).toEqual(new Map());
  });
});
