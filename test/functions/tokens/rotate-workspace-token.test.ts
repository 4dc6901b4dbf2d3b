import { getWorkspaceToken, rotateWorkspaceToken } from '../../../functions/tokens/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';

const service = useService();

describe('POST /1/workspaces/{workspace}/tokens/{tokenId}/rotate', () => {
  itAnswers('201 with a token that may do the same, on the same repositories', async () => {
    const workspace = await service.world.workspace();
    const repository = await service.world.repository(workspace);
    const { bearer: as } = await service.world.systemAdmin();
    const { tokenId } = await service.world.workspaceToken(workspace, 'canDeploy', [repository]);
    const params = { workspace: workspace.id, tokenId };
    const answer = await service.client.call(rotateWorkspaceToken, { params, body: {}, as });
    const grants = {
      repositoryPermissionLevel: null,
      repositories: [{ repositoryId: repository.id, repositoryPermissionLevel: 'canDeploy' }],
    };
    expect(answer.result).toMatchObject({ name: 'pipeline', replaces: tokenId, replacedUntil: null, ...grants });
    const rotated = { ...params, tokenId: answer.result?.id ?? '' };
    expect(await service.client.succeed(getWorkspaceToken, { params: rotated, as })).toMatchObject(grants);
    return answer;
  });
});
