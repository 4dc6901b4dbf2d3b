import { listVerdicts, updateVerdict } from '../../../functions/verdicts/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { verdictsKey } from '../../../shared/table/keys.ts';
import { standing } from '../../../shared/table/repositories/verdicts.ts';
import { buildFixture, type Fixture } from '../../harness/fixture.ts';
import { useService } from '../../harness/service.ts';

const service = useService();
let fixture: Fixture;
beforeAll(async () => {
  fixture = await buildFixture(service);
});

const put = async (packageType: string, name: string, expiresAt?: string) =>
  service.client.succeed(updateVerdict, {
    params: { workspace: fixture.workspace.id, packageType, package: name },
    body: { verdict: 'block', versions: ['*'], reason: 'Hijacked', ...(expiresAt !== undefined && { expiresAt }) },
    as: fixture.workspaceAdmin.bearer,
  });

const list = async (query: { limit?: number } = {}) =>
  service.client.call(listVerdicts, {
    params: { workspace: fixture.workspace.id },
    query,
    as: fixture.member.bearer,
  });

describe('The verdicts of a workspace', () => {
  it('are listed by type and name, in pages too, without those that have ended', async () => {
    for (const [type, name] of [
      ['pypi', 'a'],
      ['npm', 'b'],
      ['npm', '@a/*'],
    ] as const)
      await put(type, name);
    const names = async () => (await list()).result?.map(({ packageType, package: name }) => `${packageType} ${name}`);
    await put('npm', 'ended', new Date(Date.now() + 3_600_000).toISOString());
    expect(await names()).toContain('npm ended');
    const soon = new Date(Date.now() + 2_000).toISOString();
    await put('npm', 'ended', soon);
    await new Promise((resolve) => setTimeout(resolve, Date.parse(soon) - Date.now() + 5));
    expect(await names()).toEqual(['npm @a/*', 'npm b', 'pypi a']);
    const page = await list({ limit: 2 });
    expect(page.result?.map((each) => each.package)).toEqual(['@a/*', 'b']);
    expect(page.headers.link).toContain('rel="next"');
  });

  it('that have ended are no longer stored after the next change', async () => {
    const key = verdictsKey(fixture.workspace.id, 'cargo');
    const soon = new Date(Date.now() + 1_000).toISOString();
    await put('cargo', 'ended', soon);
    await new Promise((resolve) => setTimeout(resolve, Date.parse(soon) - Date.now() + 5));
    await put('cargo', 'standing');
    const found = (await new Table().read([key])).find(key);
    expect(found?.verdicts.map((each) => each.package)).toEqual(['standing']);
    expect(found && standing(found)).toHaveLength(1);
  });
});
