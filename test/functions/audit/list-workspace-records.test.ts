import { randomUUID } from 'node:crypto';
import { type changeRecordSchema, listRecords, listWorkspaceRecords } from '../../../functions/audit/contracts.ts';
import {
  addMemberToRepositories,
  addRepositoryMember,
  addWorkspaceMember,
} from '../../../functions/members/contracts.ts';
import {
  createLocalRepository,
  createVirtualRepository,
  deleteRepository,
  updateRepository,
} from '../../../functions/repositories/contracts.ts';
import { createWorkspaceToken } from '../../../functions/tokens/contracts.ts';
import { publishUniversalFile } from '../../../functions/universal/contracts.ts';
import { updateWorkspace } from '../../../functions/workspaces/contracts.ts';
import type { Infer } from '../../../shared/http/schema.ts';
import { recordInsertion, recordOf, serviceAuthor } from '../../../shared/table/changes.ts';
import { Table } from '../../../shared/table/client.ts';
import { setMember } from '../../../shared/table/identity/memberships.ts';
import { sha256 } from '../../harness/bytes.ts';
import { bearerHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { type Query, walkPages } from '../../harness/pages.ts';
import { useService } from '../../harness/service.ts';
import { storedWorkspace } from '../../harness/stored-items.ts';
import { type Actor, type Named, uniqueName } from '../../harness/world.ts';

type Row = Infer<typeof changeRecordSchema>;

const service = useService();
let root: Actor;
let workspace: Named;
let admin: Actor;

beforeAll(async () => {
  root = await service.world.systemAdmin();
  workspace = await service.world.workspace();
  admin = await service.world.member(workspace, 'admin');
});

const list = async (query: Query = {}, of = workspace, accept?: string) =>
  service.client.attempt(listWorkspaceRecords, { params: { workspace: of.id }, query, as: admin.bearer, accept });
const rows = async (query: Query = {}): Promise<readonly Row[]> => {
  const { result, text } = await list(query);
  if (!result) throw new Error(text);
  return result;
};
const create = async (as = admin, name = uniqueName()) =>
  service.client.succeed(createLocalRepository, {
    params: { workspace: workspace.id },
    body: { name, packageType: 'universal' },
    as: as.bearer,
  });

describe('GET /1/workspaces/{workspace}/audit', () => {
  itAnswers('200 with who made a change, from where, what it was and what it is, newest first', async () => {
    const { id, name, createdAt } = await create();
    const path = `tools/1.0.0/tool.txt`;
    await service.client.attempt(publishUniversalFile, {
      params: { workspace: workspace.id, repository: id, path },
      bytes: { content: 'content', mediaType: 'text/plain' },
      as: admin.bearer,
    });
    const answer = await list({ limit: 2 });
    const actor = { kind: 'user', id: admin.userId, name: admin.username, tokenId: admin.tokenId };
    const common = { actor, sourceAddress: '127.0.0.1', workspaceId: workspace.id, repository: { id, name } };
    expect(answer.result).toEqual([
      {
        ...common,
        id: expect.any(String),
        recordedAt: expect.any(String),
        requestId: expect.any(String),
        operation: publishUniversalFile.id,
        action: 'package.published',
        target: { id: null, name: 'tools' },
        before: null,
        after: { version: '1.0.0', files: [{ name: 'tool.txt', size: 7, sha256: sha256('content') }] },
      },
      {
        ...common,
        id: expect.any(String),
        recordedAt: expect.any(String),
        requestId: expect.any(String),
        operation: createLocalRepository.id,
        action: 'repository.created',
        target: { id, name },
        before: null,
        after: { name, packageType: 'universal', repositoryType: 'local', createdAt, createdBy: admin.userId },
      },
    ]);
    return answer;
  });

  itAnswers('200 with the fields that changed alone, and with no record of what changed nothing', async () => {
    const change = async (comments: string) =>
      service.client.succeed(updateWorkspace, {
        params: { workspace: workspace.id },
        body: { comments },
        as: root.bearer,
      });
    const comments = uniqueName();
    await change(comments);
    await change(comments);
    const answer = await list({ limit: 1 });
    expect(answer.result).toMatchObject([
      { action: 'workspace.changed', before: { comments: '' }, after: { comments } },
    ]);
    return answer;
  });

  it('says of what no request asked for that the service did it', async () => {
    const found = await rows({ action: 'member.added', limit: 1 });
    expect(found).toMatchObject([
      { actor: { kind: 'service', id: 'stockroom' }, sourceAddress: null, requestId: null },
    ]);
  });

  it('filters by the actor, by ID and by name', async () => {
    await create();
    const other = await service.world.member(workspace, 'admin');
    const { id } = await create(other);
    for (const actor of [other.userId, other.username]) {
      const found = await rows({ actor });
      expect(found.map(({ target }) => target.id)).toEqual([id]);
    }
    expect(await rows({ actor: uniqueName() })).toEqual([]);
  });

  it('filters by a repository, by ID and by name, also where a change concerns several, and after its deletion', async () => {
    const { id, name } = await create();
    const params = { workspace: workspace.id, repository: id };
    const { userId } = await service.world.member(workspace);
    const body = { userId, repositoryPermissionLevel: 'canView' } as const;
    await service.client.succeed(addRepositoryMember, { params, body, as: admin.bearer });
    await service.client.succeed(deleteRepository, { params, as: admin.bearer });
    const byId = await rows({ repository: id });
    expect(byId.map(({ action }) => action)).toEqual(['repository.deleted', 'grants.changed', 'repository.created']);
    expect(byId[1]).toMatchObject({ before: {}, after: { [id]: 'canView' }, target: { id: userId } });
    expect((await rows({ repository: name })).map(({ action }) => action)).toEqual([
      'repository.deleted',
      'repository.created',
    ]);
  });

  it('filters by the name of a repository as by its ID, and by no ID that had the name before', async () => {
    const { id: earlier, name } = await create();
    const { userId } = await service.world.member(workspace);
    const grant = async (repository: string) =>
      service.client.succeed(addRepositoryMember, {
        params: { workspace: workspace.id, repository },
        body: { userId, repositoryPermissionLevel: 'canView' },
        as: admin.bearer,
      });
    await grant(earlier);
    const params = { workspace: workspace.id, repository: earlier };
    await service.client.succeed(deleteRepository, { params, as: admin.bearer });
    const { id } = await create(admin, name);
    await grant(id);
    const ofBoth = ['grants.changed', 'repository.created', 'repository.deleted', 'repository.created'];
    const byName = await rows({ repository: name });
    expect(byName.map(({ action }) => action)).toEqual(ofBoth);
    expect(byName.slice(0, 2)).toEqual(await rows({ repository: id }));
    const pages = await walkPages<Row>(async (query) => list({ ...query, repository: name }), { limit: 1 });
    expect(pages.flat()).toEqual(byName);
    const everywhere = async (query: Query) => service.client.succeed(listRecords, { query, as: root.bearer });
    expect(await everywhere({ workspace: workspace.id, repository: name })).toEqual(byName);
  });

  it('filters by an ID in capitals, and by a name in capitals that looks like one', async () => {
    const { id } = await create();
    expect(await rows({ repository: id.toUpperCase() })).toEqual(await rows({ repository: id }));
    const found = await rows({ actor: admin.userId.toUpperCase(), limit: 2 });
    expect(found).toEqual(await rows({ actor: admin.userId, limit: 2 }));
    expect(found).toHaveLength(2);
    const name = randomUUID().toUpperCase();
    const token = await service.client.succeed(createWorkspaceToken, {
      params: { workspace: workspace.id },
      body: { name, repositoryPermissionLevel: 'canDeploy' },
      as: admin.bearer,
    });
    await service.client.attempt(publishUniversalFile, {
      params: { workspace: workspace.id, repository: id, path: 'named/1.0.0/file.txt' },
      bytes: { content: 'content', mediaType: 'text/plain' },
      as: bearerHeader(token.token),
    });
    expect(await rows({ actor: name })).toMatchObject([{ action: 'package.published', actor: { name } }]);
  });

  it('filters by action, and by the time of both ends', async () => {
    const made = [await create(), await create(), await create()];
    const all = await rows({ action: 'repository.created' });
    const [newest, middle, oldest] = all;
    expect([oldest, middle, newest].map((row) => row?.target.id)).toEqual(made.map(({ id }) => id));
    const between = await rows({ from: middle?.recordedAt ?? '', to: middle?.recordedAt ?? '' });
    expect(between.map(({ id }) => id)).toEqual([middle?.id]);
    const since = await rows({ from: middle?.recordedAt ?? '' });
    expect(since.map(({ id }) => id)).toEqual([newest?.id, middle?.id]);
    expect((await rows({ to: middle?.recordedAt ?? '', limit: 2 })).map(({ id }) => id)).toEqual([
      middle?.id,
      oldest?.id,
    ]);
    expect((await list({ from: middle?.recordedAt ?? '', limit: 2 })).headers.link).toBeDefined();
    expect((await list({ from: middle?.recordedAt ?? '', limit: 3 })).headers.link).toBeUndefined();
    expect((await list({ from: '2099-01-01T00:00:00Z', limit: 1 })).headers.link).toBeUndefined();
  });

  it('comes in pages, of 100 without a limit', async () => {
    const own = await service.world.workspace();
    await service.world.member(own, 'admin', admin);
    for (let index = 0; index < 12; index += 1) await service.world.member(own);
    const pages = await walkPages<Row>(async (query) => list(query, own), { limit: 5 });
    const ids = pages.flat().map(({ id }) => id);
    expect(pages.map((page) => page.length)).toEqual([5, 5, 4]);
    expect(new Set(ids).size).toBe(14);
    const whole = await list({}, own);
    expect(whole.result?.map(({ id }) => id)).toEqual(ids);
    expect(whole.headers.link).toBeUndefined();
  });

  it('shows no record whose time is over, which the table still has', async () => {
    const own = await service.world.workspace();
    await service.world.member(own, 'admin', admin);
    const before = await list({}, own);
    const target = { id: own.id, name: own.name };
    const change = { action: 'workspace.changed', workspaceId: own.id, target, before: {}, after: {} } as const;
    const kept = recordOf(change, serviceAuthor, 1, randomUUID());
    const expired = { ...recordOf(change, serviceAuthor, 1, randomUUID()), expiresAt: Math.floor(Date.now() / 1000) };
    await new Table().writeUnrecorded([recordInsertion(kept), recordInsertion(expired)]);
    const ids = [kept.recordId, ...(before.result ?? []).map(({ id }) => id)];
    expect((await list({}, own)).result?.map(({ id }) => id)).toEqual(ids);
    const pages = await walkPages<Row>(async (query) => list(query, own), { limit: 1 });
    expect(pages.flat().map(({ id }) => id)).toEqual(ids);
    const all = await service.client.succeed(listRecords, { query: { limit: 10 }, as: root.bearer });
    expect(all.map(({ id }) => id).filter((id) => [kept.recordId, expired.recordId].includes(id))).toEqual([
      kept.recordId,
    ]);
  });

  it('has nothing of a request that leaves all as it was', async () => {
    const { id, name } = await create();
    const params = { workspace: workspace.id };
    const virtual = await service.client.succeed(createVirtualRepository, {
      params,
      body: {
        name: uniqueName('virtual'),
        packageType: 'universal',
        childRepositoryIds: [id],
        uploadLocalRepositoryId: id,
      },
      as: admin.bearer,
    });
    const member = await service.world.member(workspace);
    const grant = { repositoryReference: name, repositoryPermissionLevel: 'canDeploy' as const };
    const again = async () => {
      const ofVirtual = { params: { ...params, repository: virtual.id }, as: admin.bearer };
      await service.client.succeed(updateRepository, { ...ofVirtual, body: {} });
      await service.client.succeed(updateRepository, { ...ofVirtual, body: { childRepositoryIds: [id] } });
      await service.client.succeed(addRepositoryMember, {
        params: { ...params, repository: id },
        body: { userId: member.userId, repositoryPermissionLevel: 'canDeploy' },
        as: admin.bearer,
      });
      await service.client.succeed(addMemberToRepositories, {
        params,
        body: { userId: member.userId, repositories: [grant] },
        as: admin.bearer,
      });
    };
    await again();
    const before = await rows({ limit: 20 });
    const ofMember = before.filter(({ target }) => target.id === member.userId);
    expect(ofMember.map(({ action }) => action)).toEqual(['grants.changed', 'member.added']);
    await again();
    expect(await rows({ limit: 20 })).toEqual(before);
  });

  it('leads to the next page where a request had no query at all', async () => {
    const own = await service.world.workspace();
    await service.world.member(own, 'admin', admin);
    for (let index = 0; index < 101; index += 1) {
      const body = { name: uniqueName(), packageType: 'universal' as const };
      await service.client.succeed(createLocalRepository, { params: { workspace: own.id }, body, as: admin.bearer });
    }
    const { headers, result } = await service.client.attempt(listWorkspaceRecords, {
      params: { workspace: own.id },
      as: admin.bearer,
    });
    const [, next = ''] = /^<\?([^>]*)>; rel="next"$/.exec(String(headers.link)) ?? [];
    const query = Object.fromEntries(new URLSearchParams(next)) as Query;
    expect([result?.length, Object.keys(query)]).toEqual([100, ['cursor']]);
    const { result: rest = [] } = await list(query, own);
    expect(rest.length).toBeGreaterThan(0);
  });

  itAnswers('200 with a line of JSON for each record, to a client that accepts them', async () => {
    await create();
    const answer = await list({ limit: 2 }, workspace, 'application/x-ndjson');
    expect(answer.headers).toMatchObject({ 'content-type': 'application/x-ndjson', vary: 'Accept' });
    expect(answer.text.split('\n')).toHaveLength(3);
    expect(answer.headers.link).toBeDefined();
    expect(answer.result).toEqual(await rows({ limit: 2 }));
    return answer;
  });

  itAnswers('400 REQUEST_INVALID for a time that does not exist', async () => [
    await list({ from: '2026-13-01T00:00:00Z' }),
    await list({ to: 'yesterday' }),
  ]);

  it('shows no change of another workspace, and none that was refused', async () => {
    const stranger = await service.world.user();
    const refused = await service.client.attempt(createLocalRepository, {
      params: { workspace: workspace.id },
      body: { name: uniqueName(), packageType: 'npm' },
      as: stranger.bearer,
    });
    expect(refused.status).toBe(404);
    const taken = (await create()).name;
    const again = await service.client.attempt(createLocalRepository, {
      params: { workspace: workspace.id },
      body: { name: taken, packageType: 'npm' },
      as: admin.bearer,
    });
    expect(again.code).toBe('REPOSITORY_NAME_TAKEN');
    expect(await rows({ actor: stranger.userId })).toEqual([]);
    expect(await rows({ repository: taken })).toHaveLength(1);
    expect((await rows()).filter(({ workspaceId }) => workspaceId !== workspace.id)).toEqual([]);
  });

  itAnswers('403 FORBIDDEN for a member', async () => {
    const member = await service.world.member(workspace);
    return service.client.attempt(listWorkspaceRecords, { params: { workspace: workspace.id }, as: member.bearer });
  });

  it('has the change of a role, and nothing if the role stays', async () => {
    const { userId, username } = await service.world.member(workspace);
    const set = async (role: 'admin' | 'member') =>
      service.client.succeed(addWorkspaceMember, {
        params: { workspace: workspace.id },
        body: { userId, role },
        as: admin.bearer,
      });
    await set('admin');
    await set('admin');
    // Nothing changes, either, for a request that read the role before.
    const stored = await storedWorkspace(workspace.id);
    await setMember(new Table(), stored, { userId, username, role: 'admin' }, { role: 'member' });
    const found = (await rows()).filter(({ target }) => target.id === userId);
    expect(found).toMatchObject([
      { action: 'member.changed', before: { role: 'member' }, after: { role: 'admin' } },
      { action: 'member.added', before: null, after: { role: 'member' } },
    ]);
  });
});
