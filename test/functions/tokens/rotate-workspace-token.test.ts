import { setTimeout as pause } from 'node:timers/promises';
import { getWorkspaceToken, rotateWorkspaceToken } from '../../../functions/tokens/contracts.ts';
import { getWorkspace } from '../../../functions/workspaces/contracts.ts';
import { bearerHeader } from '../../harness/credentials.ts';
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

  it('fails no request of either token inside the overlap, and every one of the old token after it', async () => {
    const { client, world } = service;
    const workspace = await world.workspace();
    const root = await world.systemAdmin();
    const tried: {
      readonly startedAt: number;
      readonly endedAt: number;
      readonly token: string;
      readonly status: number;
    }[] = [];
    const { token: first, tokenId } = await world.workspaceToken(workspace, 'canView');
    let tokens = [first];
    const over = new AbortController();
    const streams = Array.from({ length: 3 }, async () => {
      while (!over.signal.aborted)
        for (const token of tokens) {
          const startedAt = Date.now();
          const as = bearerHeader(token);
          const { status } = await client.call(getWorkspace, { params: { workspace: workspace.id }, as });
          tried.push({ startedAt, endedAt: Date.now(), token, status });
        }
    });
    const params = { workspace: workspace.id, tokenId };
    const rotated = await client.succeed(rotateWorkspaceToken, {
      params,
      body: { overlapSeconds: 2 },
      as: root.bearer,
    });
    tokens = [first, rotated.token];
    const until = Date.parse(rotated.replacedUntil ?? '');
    await pause(until + 500 - Date.now());
    over.abort();
    await Promise.all(streams);
    const failed = tried.filter(({ token, endedAt, status }) => status !== 200 && (token !== first || endedAt < until));
    const late = tried.filter(({ token, startedAt, status }) => token === first && startedAt > until && status !== 401);
    expect({ failed, late }).toEqual({ failed: [], late: [] });
    expect(tried.filter(({ token, startedAt }) => token === first && startedAt > until).length).toBeGreaterThan(0);
  });
});
