import { getTrust, updateTrust } from '../../../functions/trusts/contracts.ts';
import { buildFixture, type Fixture } from '../../harness/fixture.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { trustOf } from '../../harness/trusts.ts';

const service = useService();
let fixture: Fixture;
let id: string;
beforeAll(async () => {
  fixture = await buildFixture(service);
});
beforeEach(async () => {
  ({ id } = await trustOf(fixture));
});

const update = (body: object, trust = id) =>
  service.client.attempt(updateTrust, {
    params: { workspace: fixture.workspace.id, trust },
    body,
    as: fixture.workspaceAdmin.bearer,
  });

describe('A change of a trust', () => {
  it('replaces the fields that it has, and keeps the others', async () => {
    const { universal } = fixture;
    const { result } = await update({
      repositories: [{ repositoryReference: universal.name, repositoryPermissionLevel: 'canView' }],
      lifetimeSeconds: 60,
    });
    expect(result).toMatchObject({
      repositories: [{ repositoryId: universal.id, repositoryName: universal.name }],
      lifetimeSeconds: 60,
      conditions: [{ claim: 'repository_id', equals: '123456789' }],
    });
    const params = { workspace: fixture.workspace.id, trust: id };
    expect(await service.client.succeed(getTrust, { params, as: fixture.systemAdmin.bearer })).toEqual(result);
  });

  it('leaves out the conditions on pull requests only where it says so', async () => {
    expect((await update({ allowsPullRequests: true })).result?.readyMadeConditions).toEqual([]);
    expect((await update({ lifetimeSeconds: 61 })).result?.readyMadeConditions).toEqual([]);
    expect((await update({ allowsPullRequests: false })).result?.readyMadeConditions).toHaveLength(1);
  });

  it('loses nothing of another one at the same time', async () => {
    const bodies = [{ lifetimeSeconds: 60 }, { audience: 'https://b.example' }, { allowsPullRequests: true }];
    const answers = await Promise.all(bodies.map((body) => update(body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await update({})).result).toMatchObject(Object.assign({}, ...bodies));
  });

  itAnswers('400 REQUEST_INVALID when it would accept everybody', () =>
    update({ conditions: [{ claim: 'ref', equals: 'refs/heads/main' }] }),
  );
  itAnswers('400 REQUEST_INVALID when it changes the issuer', () => update({ issuer: 'https://id.example.com' }));
  itAnswers('404 TRUST_NOT_FOUND when there is no such trust', () => update({}, 'unknown'));
});
