import { createWorkspaceToken, getWorkspaceToken } from '../../../functions/tokens/contracts.ts';
import { getWorkspace } from '../../../functions/workspaces/contracts.ts';
import { isToken } from '../../../shared/auth/tokens.ts';
import { accountHeader, bearerHeader, tokenHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import type { Actor, Named } from '../../harness/world.ts';

const service = useService();
let workspace: Named;
let repository: Named;
let admin: Actor;

beforeAll(async () => {
  workspace = await service.world.workspace();
  [repository, admin] = await Promise.all([
    service.world.repository(workspace),
    service.world.member(workspace, 'admin'),
  ]);
});

const inWorkspace = () => ({ workspace: workspace.name });
const create = (body: unknown, as = admin.account) =>
  service.client.attempt(createWorkspaceToken, { params: inWorkspace(), body, as });
const get = (tokenId: string, as = admin.bearer, params = inWorkspace()) =>
  service.client.call(getWorkspaceToken, { params: { ...params, tokenId }, as });
const seesWorkspace = async (as: string) =>
  (await service.client.call(getWorkspace, { params: inWorkspace(), as })).status;

describe('POST /1/workspaces/{workspace}/tokens', () => {
  itAnswers('201 with the token, told once, which works at once in its forms', async () => {
    const answer = await create({ name: 'ci', repositoryPermissionLevel: 'canDeploy' });
    const { id = '', token = '', ...rest } = answer.result ?? {};
    expect(isToken(token)).toBe(true);
    expect(token).toMatch(/^str_wst_/);
    const grants = { workspaceId: workspace.id, repositoryPermissionLevel: 'canDeploy', repositories: [] };
    expect(rest).toMatchObject({ name: 'ci', expirationDate: null, ...grants });
    const statuses = [bearerHeader(token), tokenHeader(token), accountHeader('ci', token)].map(seesWorkspace);
    expect(await Promise.all(statuses)).toEqual([200, 200, 401]);
    const { text, result } = await get(id);
    expect(text).not.toContain(token);
    expect(result).toMatchObject({ id, createdBy: admin.userId, ...grants, unused: false, replacedBy: null });
    return answer;
  });

  itAnswers('201 with a level on each of some repositories, by ID or by name', async () => {
    const other = await service.world.repository(workspace);
    const repositories = [
      { repositoryReference: repository.name, repositoryPermissionLevel: 'canView' },
      { repositoryReference: other.id.toUpperCase(), repositoryPermissionLevel: 'canManage' },
    ];
    const answer = await create({ name: 'some', repositories });
    expect(answer.result).toMatchObject({ repositoryPermissionLevel: null });
    expect(new Set(answer.result?.repositories)).toEqual(
      new Set([
        { repositoryId: repository.id, repositoryPermissionLevel: 'canView' },
        { repositoryId: other.id, repositoryPermissionLevel: 'canManage' },
      ]),
    );
    return answer;
  });

  itAnswers('400 REQUEST_INVALID without a level, and with both kinds of levels', async () => {
    const repositories = [{ repositoryReference: repository.id, repositoryPermissionLevel: 'canView' }];
    const bodies = [{}, { repositoryPermissionLevel: null }, { repositoryPermissionLevel: 'canView', repositories }];
    return Promise.all(bodies.map((body) => create({ name: 'ci', ...body })));
  });

  itAnswers('400 REQUEST_INVALID naming each repository that is unknown or listed twice', async () => {
    const elsewhere = await service.world.repository(await service.world.workspace());
    const references = [repository.id, repository.name, elsewhere.id, 'nowhere'];
    const answer = await create({
      name: 'ci',
      repositories: references.map((repositoryReference) => ({
        repositoryReference,
        repositoryPermissionLevel: 'canView',
      })),
    });
    expect(answer.problem?.violations.map(({ pointer, rule }) => [pointer, rule])).toEqual([
      ['/repositories/1/repositoryReference', 'distinct'],
      ['/repositories/2/repositoryReference', 'exists'],
      ['/repositories/3/repositoryReference', 'exists'],
    ]);
    expect(answer.problem?.violations[0]?.message).toBe(
      `repositories[1].repositoryReference '${repository.name}' and repositories[0].repositoryReference '${repository.id}' are the same repository; list it once.`,
    );
    return answer;
  });

  itAnswers('201 for a token that expires with the token of the request', async () => {
    const until = new Date(Date.now() + 60_000).toISOString();
    const { token } = await service.world.token(admin, until);
    const answer = await create({ name: 'ci', repositoryPermissionLevel: 'canView' }, bearerHeader(token));
    expect(answer.result?.expirationDate).toBe(until);
    return answer;
  });

  itAnswers('201 when the reply of the table was lost after it committed', async () => {
    const functionId = createWorkspaceToken.id;
    service.proxy.inject({ fault: 'commit-then-drop', functionId, operation: 'TransactWriteItems', times: 1 });
    return create({ name: 'ci', repositoryPermissionLevel: 'canView' });
  });
});
