import { listWorkspaceRecords } from '../../../functions/audit/contracts.ts';
import { deleteVerdict, getVerdict, listVerdicts, updateVerdict } from '../../../functions/verdicts/contracts.ts';
import { buildFixture, type Fixture } from '../../harness/fixture.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
let fixture: Fixture;
beforeAll(async () => {
  fixture = await buildFixture(service);
});

const block = { verdict: 'block', versions: ['1.14.1'], reason: 'Hijacked' } as const;

const inPath = (name: string, packageType = 'npm') => ({
  params: { workspace: fixture.workspace.id, packageType, package: name },
  as: fixture.workspaceAdmin.bearer,
});

const put = (name: string, body: object = block, packageType?: string) =>
  service.client.attempt(updateVerdict, { ...inPath(name, packageType), body });

const far = '2999-01-01T00:00:00.000Z';

describe('A verdict', () => {
  it('is what was sent, by the name as its type spells it, and who decided when', async () => {
    const { result } = await put('Foo_Bar', { ...block, expiresAt: '2999-01-01T01:00:00+01:00' }, 'pypi');
    expect(result).toEqual({
      workspaceId: fixture.workspace.id,
      packageType: 'pypi',
      package: 'foo-bar',
      ...block,
      expiresAt: far,
      decidedAt: expect.any(String),
      decidedBy: fixture.workspaceAdmin.userId,
    });
    expect(await service.client.succeed(getVerdict, inPath('foo.bar', 'pypi'))).toEqual(result);
  });

  it('replaces the one before as a whole', async () => {
    const name = uniqueName('package');
    await put(name, { ...block, expiresAt: far });
    const { result } = await put(name, { verdict: 'allow', versions: ['*'], reason: 'Looked at' });
    expect(result).toMatchObject({ verdict: 'allow', versions: ['*'], reason: 'Looked at', expiresAt: null });
    const listed = await service.client.succeed(listVerdicts, inPath(name));
    expect(listed.filter((each) => each.package === name)).toEqual([result]);
  });

  it('loses no other one at the same time', async () => {
    const names = Array.from({ length: 5 }, () => uniqueName('parallel'));
    expect((await Promise.all(names.map((name) => put(name)))).map(({ status }) => status)).toEqual(
      names.map(() => 200),
    );
    const listed = await service.client.succeed(listVerdicts, inPath(''));
    expect(listed.map((each) => each.package)).toEqual(expect.arrayContaining(names));
  });

  it('leaves a record of each change, with what was before', async () => {
    const name = uniqueName('recorded');
    await put(name);
    await put(name, { ...block, reason: 'Still hijacked' });
    await service.client.succeed(deleteVerdict, inPath(name));
    const records = await service.client.succeed(listWorkspaceRecords, inPath(name));
    const own = records.filter(({ target }) => target.name === `npm/${name}`);
    expect(own.map(({ action }) => action)).toEqual(['verdict.deleted', 'verdict.changed', 'verdict.created']);
    expect(own[1]).toMatchObject({ before: { reason: 'Hijacked' }, after: { reason: 'Still hijacked' } });
    expect(own[0]).toMatchObject({ before: { reason: 'Still hijacked' }, after: null });
  });

  itAnswers('400 REQUEST_INVALID when the type has no gate', () => put('axios', block, 'unknown'));
  itAnswers('400 REQUEST_INVALID when no package can have the name', () => put('a b'));
  itAnswers('400 REQUEST_INVALID when it ends before it begins', () =>
    put('axios', { ...block, expiresAt: '2020-01-01T00:00:00Z' }),
  );
  itAnswers('400 REQUEST_INVALID when it is about all versions and about one', () =>
    put('axios', { ...block, versions: ['*', '1.0.0'] }),
  );
  itAnswers('400 REQUEST_INVALID when it is about no version', () => put('axios', { ...block, versions: [] }));
  itAnswers('400 REQUEST_INVALID when it has no reason', () => put('axios', { ...block, reason: '' }));

  it('is one of as many as have 64 KiB', async () => {
    const versions = Array.from({ length: 100 }, (_, at) => `1.${at}.0-${'x'.repeat(200)}`);
    const answers: number[] = [];
    for (const name of ['large-1', 'large-2', 'large-3'])
      answers.push((await put(name, { ...block, versions }, 'helm')).status);
    const { status, problem } = await put('large-4', { ...block, versions }, 'helm');
    expect([answers, status, problem?.code]).toEqual([[200, 200, 200], 409, 'TOO_MANY_VERDICTS']);
  });
});
