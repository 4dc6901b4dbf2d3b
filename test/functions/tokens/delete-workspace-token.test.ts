import { deletePersonalAccessToken, deleteWorkspaceToken } from '../../../functions/tokens/contracts.ts';
import { getWorkspace } from '../../../functions/workspaces/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import type { Actor, Named } from '../../harness/world.ts';

const service = useService();
let workspace: Named;
let admin: Actor;

beforeAll(async () => {
  workspace = await service.world.workspace();
  admin = await service.world.member(workspace, 'admin');
});

const statusOf = async (as: string) =>
  (await service.client.call(getWorkspace, { params: { workspace: workspace.id }, as })).status;
const remove = (tokenId: string) =>
  service.client.call(deleteWorkspaceToken, { params: { workspace: workspace.id, tokenId }, as: admin.bearer });

describe('DELETE /1/workspaces/{workspace}/tokens/{tokenId}', () => {
  itAnswers('200 and the next request with the token is refused', async () => {
    const { tokenId, bearer } = await service.world.workspaceToken(workspace, 'canView');
    expect(await statusOf(bearer)).toBe(200);
    const answer = await remove(tokenId);
    expect(answer.result).toEqual({ tokenId, status: 'deleted' });
    expect(await statusOf(bearer)).toBe(401);
    service.runner.clearAuthorizerCache();
    expect(await statusOf(bearer)).toBe(401);
    return answer;
  });

  itAnswers('404 TOKEN_NOT_FOUND for a personal access token, and there for a token of a workspace', async () => {
    const { tokenId } = await service.world.workspaceToken(workspace, 'canView');
    const { bearer: as } = await service.world.systemAdmin();
    return [
      await remove(admin.tokenId),
      await service.client.call(deletePersonalAccessToken, { params: { tokenId }, as }),
    ];
  });
});
