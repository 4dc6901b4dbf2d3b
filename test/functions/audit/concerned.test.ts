import { type changeRecordSchema, listRecords, listWorkspaceRecords } from '../../../functions/audit/contracts.ts';
import { createNpmToken } from '../../../functions/npm/contracts.ts';
import {
  createPersonalAccessToken,
  createWorkspaceToken,
  deletePersonalAccessToken,
  deleteWorkspaceToken,
  rotatePersonalAccessToken,
  rotateWorkspaceToken,
} from '../../../functions/tokens/contracts.ts';
import { createTrust, deleteTrust, exchangeToken, updateTrust } from '../../../functions/trusts/contracts.ts';
import type { Infer } from '../../../shared/http/schema.ts';
import { buildFixture, type Fixture } from '../../harness/fixture.ts';
import { useService } from '../../harness/service.ts';
import { trustBody, useIssuer } from '../../harness/trusts.ts';
import type { Named } from '../../harness/world.ts';

type Row = Infer<typeof changeRecordSchema>;

const service = useService();
const issuer = useIssuer();
let fixture: Fixture;
let as: string;
beforeAll(async () => {
  fixture = await buildFixture(service);
  as = fixture.workspaceAdmin.bearer;
});

const inWorkspace = () => ({ workspace: fixture.workspace.id });
const actionsOn = async (repository: Named): Promise<readonly string[]> => {
  const query = { repository: repository.id };
  const rows = await service.client.succeed(listWorkspaceRecords, { params: inWorkspace(), query, as });
  return rows.map(({ action }) => action).filter((action) => /^(?:trust|token)\./.test(action));
};

const on = (repository: Named, level: 'canView' | 'canDeploy' = 'canView') => ({
  repositoryReference: repository.id,
  repositoryPermissionLevel: level,
});

const newRepositories = async () => {
  const create = () => fixture.world.repository(fixture.workspace);
  const [kept, lost, given] = await Promise.all([create(), create(), create()]);
  return { kept, lost, given };
};

const newTrust = (...repositories: readonly Named[]) =>
  service.client.succeed(createTrust, {
    params: inWorkspace(),
    body: trustBody(fixture.repository, { issuer: issuer.url, repositories: repositories.map((each) => on(each)) }),
    as,
  });

describe('The records of a repository', () => {
  it('have each change of a trust that gives or takes a right on it', async () => {
    const { kept, lost, given } = await newRepositories();
    const { id } = await newTrust(kept, lost);
    const params = { ...inWorkspace(), trust: id };
    const update = (body: object) => service.client.succeed(updateTrust, { params, body, as });
    await update({ repositories: [on(kept), on(given)] });
    await update({ lifetimeSeconds: 60 });
    await service.client.succeed(deleteTrust, { params, as });
    expect(await actionsOn(kept)).toEqual(['trust.deleted', 'trust.changed', 'trust.changed', 'trust.created']);
    expect(await actionsOn(lost)).toEqual(['trust.changed', 'trust.created']);
    expect(await actionsOn(given)).toEqual(['trust.deleted', 'trust.changed', 'trust.changed']);
  });

  it('have each change of a workspace token that has a right on it, and none of one that has other rights', async () => {
    const { given, lost } = await newRepositories();
    const create = (rights: object) =>
      service.client.succeed(createWorkspaceToken, { params: inWorkspace(), body: { name: 'ci', ...rights }, as });
    const { id } = await create({ repositories: [on(given, 'canDeploy')] });
    await create({ repositoryPermissionLevel: 'canView' });
    const params = { ...inWorkspace(), tokenId: id };
    const next = await service.client.succeed(rotateWorkspaceToken, { params, body: {}, as });
    await service.client.succeed(deleteWorkspaceToken, { params: { ...params, tokenId: next.id }, as });
    expect(await actionsOn(given)).toEqual(['token.deleted', 'token.rotated', 'token.created']);
    expect(await actionsOn(lost)).toEqual([]);
  });
});

describe('The record of an exchange', () => {
  it('has the trust as its actor, with the token that it made and the address that asked', async () => {
    const { id, name } = await newTrust(fixture.repository);
    const body = { trust: id, subject_token: issuer.token() };
    const answer = await service.client.call(exchangeToken, { body });
    for (const actor of [id, name]) {
      const rows = await service.client.succeed(listWorkspaceRecords, { params: inWorkspace(), query: { actor }, as });
      expect(rows).toEqual([expect.objectContaining({ action: 'token.created', operation: exchangeToken.id })]);
      const [made] = rows;
      expect(made?.actor).toEqual({ kind: 'trust', id, name, tokenId: made?.target.id });
      expect(made?.after).toMatchObject({ trustId: id });
      expect([made?.sourceAddress, made?.requestId]).toEqual(['127.0.0.1', answer.headers['x-request-id']]);
    }
  });
});

describe('The record of a personal access token', () => {
  /** What is recorded of a user, newest first. */
  const recordsOf = async ({ userId }: { readonly userId: string }): Promise<readonly Row[]> =>
    service.client.succeed(listRecords, { query: { repository: userId }, as: fixture.systemAdmin.bearer });

  it('concerns its user, whoever made, replaced or deleted it', async () => {
    const { viewer, systemAdmin } = fixture;
    const before = (await recordsOf(viewer)).length;
    const made = await service.client.succeed(createPersonalAccessToken, { body: { name: 'ci' }, as: viewer.account });
    const params = { tokenId: made.id };
    const next = await service.client.succeed(rotatePersonalAccessToken, { params, body: {}, as: viewer.account });
    await service.client.succeed(deletePersonalAccessToken, { params: { tokenId: next.id }, as: systemAdmin.bearer });
    const rows = await recordsOf(viewer);
    expect(rows.slice(0, rows.length - before)).toMatchObject([
      { action: 'token.deleted', actor: { id: systemAdmin.userId }, target: { id: next.id } },
      { action: 'token.rotated', actor: { id: viewer.userId }, target: { id: made.id } },
      { action: 'token.created', actor: { id: viewer.userId }, target: { id: made.id } },
    ]);
  });

  it('concerns the user who logs in with npm, as its actor too', async () => {
    const { viewer, workspace, repository } = fixture;
    const before = (await recordsOf(viewer)).length;
    const { status } = await service.client.sendTo(createNpmToken, {
      path: `/npm/${workspace.name}/${repository.name}/-/user/org.couchdb.user:${viewer.username}`,
      headers: [['Content-Type', 'application/json']],
      body: JSON.stringify({ name: viewer.username, password: viewer.password }),
    });
    expect(status).toBe(201);
    const rows = await recordsOf(viewer);
    expect(rows.slice(0, rows.length - before)).toMatchObject([
      { action: 'token.created', actor: { kind: 'user', id: viewer.userId }, after: { userId: viewer.userId } },
    ]);
  });
});
