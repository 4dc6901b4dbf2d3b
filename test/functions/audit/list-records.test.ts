import { listRecords } from '../../../functions/audit/contracts.ts';
import { createUser, updateUser } from '../../../functions/users/contracts.ts';
import { createWorkspace, deleteWorkspaceByReference } from '../../../functions/workspaces/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { type Query, walkPages } from '../../harness/pages.ts';
import { useService } from '../../harness/service.ts';
import { type Actor, newPassword, uniqueName } from '../../harness/world.ts';

const service = useService();
let root: Actor;

beforeAll(async () => {
  root = await service.world.systemAdmin();
});

interface Row {
  readonly id: string;
  readonly recordedAt: string;
  readonly action: string;
  readonly target: { readonly id: string | null };
  readonly after: unknown;
}

const list = async (query: Query = {}, as = root) => service.client.attempt(listRecords, { query, as: as.bearer });
const rows = async (query: Query = {}): Promise<readonly Row[]> => {
  const { result, text } = await list(query);
  if (!result) throw new Error(text);
  return result;
};

describe('GET /1/audit', () => {
  itAnswers('200 with the changes of users, and nothing of their passwords', async () => {
    const password = newPassword();
    const username = uniqueName('user');
    const body = { username, password };
    const { id } = await service.client.succeed(createUser, { body, as: root.bearer });
    const change = { password: newPassword(), revokeTokens: true, firstName: 'Robin' };
    await service.client.succeed(updateUser, { params: { user: id }, body: change, as: root.bearer });
    const answer = await list({ actor: root.username, limit: 2 });
    expect(answer.result).toMatchObject([
      {
        action: 'user.changed',
        workspaceId: null,
        repository: null,
        target: { id, name: username },
        before: { firstName: null },
        after: { firstName: 'Robin', passwordChanged: true, tokensRevoked: true },
      },
      { action: 'user.created', target: { id, name: username }, before: null, after: { username, userRole: 'user' } },
    ]);
    expect(answer.text).not.toContain('argon2');
    return answer;
  });

  itAnswers('200 with the changes of every workspace, also of a deleted one by its ID', async () => {
    const name = uniqueName('ws');
    const { id } = await service.client.succeed(createWorkspace, { body: { name }, as: root.bearer });
    await service.client.succeed(deleteWorkspaceByReference, { params: { workspace: id }, as: root.bearer });
    const answer = await list({ workspace: id });
    expect(answer.result).toMatchObject([
      { action: 'workspace.deleted', workspaceId: id, before: { name }, after: null },
      { action: 'workspace.created', workspaceId: id, before: null, after: { name } },
    ]);
    expect((await rows({ actor: root.userId })).slice(0, 2).map(({ action }) => action)).toEqual([
      'workspace.deleted',
      'workspace.created',
    ]);
    return answer;
  });

  it('comes in pages, each newest first, without a gap and without a record twice', async () => {
    for (let index = 0; index < 10; index += 1) await service.world.workspace();
    const from = '2020-01-01T00:00:00Z';
    const to = (await rows({ limit: 1 }))[0]?.recordedAt ?? '';
    const pages = await walkPages<Row>(async (query) => list(query), { limit: 7, from, to });
    const walked = pages.flat();
    const times = walked.map(({ recordedAt }) => recordedAt);
    expect(times).toEqual(times.toSorted().toReversed());
    const all = (await walkPages<Row>(async (query) => list(query), { limit: 1_000, from, to })).flat();
    expect(walked.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(14);
  });

  itAnswers('403 FORBIDDEN for who is no System Admin', async () => list({}, await service.world.user()));

  itAnswers('400 REQUEST_INVALID for a workspace by its name', async () => list({ workspace: 'acme' }));
});
