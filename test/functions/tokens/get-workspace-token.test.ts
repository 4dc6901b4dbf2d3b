import { getWorkspaceToken } from '../../../functions/tokens/contracts.ts';
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

const get = (tokenId: string) =>
  service.client.call(getWorkspaceToken, { params: { workspace: workspace.name, tokenId }, as: admin.bearer });

describe('GET /1/workspaces/{workspace}/tokens/{tokenId}', () => {
  itAnswers('200 by ID in either letter case, without the secret', async () => {
    const { tokenId, token } = await service.world.workspaceToken(workspace, 'canView');
    const answers = [await get(tokenId), await get(tokenId.toUpperCase())];
    for (const { result, text } of answers) {
      expect(result).toMatchObject({ id: tokenId, workspaceId: workspace.id, repositoryPermissionLevel: 'canView' });
      expect(text).not.toContain(token);
    }
    return answers;
  });

  itAnswers('200 with the repositories in the order of their IDs, each time', async () => {
    const repositories = await service.world.repositories(workspace, 15);
    const { tokenId } = await service.world.workspaceToken(workspace, 'canView', repositories);
    const answers = [await get(tokenId), await get(tokenId), await get(tokenId)];
    const ids = repositories.map(({ id }) => id).toSorted();
    for (const { result } of answers) expect(result?.repositories.map(({ repositoryId }) => repositoryId)).toEqual(ids);
    return answers;
  });

  itAnswers(
    '404 TOKEN_NOT_FOUND for a token of another workspace, a personal access token and what is no ID',
    async () => {
      const { tokenId } = await service.world.workspaceToken(await service.world.workspace(), 'canView');
      return Promise.all([tokenId, admin.tokenId, 'ci'].map(get));
    },
  );
});
