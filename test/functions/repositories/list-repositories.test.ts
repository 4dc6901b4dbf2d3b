import { listRepositories } from '../../../functions/repositories/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { rowsOf, walkPages } from '../../harness/pages.ts';
import { createLocal, createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { insertRepositories } from '../../harness/stored-items.ts';
import type { Actor, Named } from '../../harness/world.ts';

const service = useService();

const ask = async ({ id }: Named, actor?: Actor, query: Record<string, string | number> = {}) => {
  const { bearer } = actor ?? (await service.world.systemAdmin());
  return service.client.attempt(listRepositories, { params: { workspace: id }, query, as: bearer });
};

const namesOf = async (...input: Parameters<typeof ask>) => rowsOf<Named>(await ask(...input)).map(({ name }) => name);

describe('GET /1/workspaces/{workspace}/repositories', () => {
  itAnswers('200 with the full record of each repository for an admin, of every type', async () => {
    const workspace = await service.world.workspace();
    const admin = await service.world.member(workspace, 'admin');
    const remote = await createRemote(service, workspace, { name: 'b' });
    const local = await createLocal(service, workspace, 'a');
    const virtual = await createVirtual(service, workspace, [remote, local], { name: 'c' });
    const answer = await ask(workspace, admin);
    expect(rowsOf(answer)).toEqual([local, remote, virtual]);
    return answer;
  });

  itAnswers('200 for a member with those on which there is a permission of any level, and no others', async () => {
    const workspace = await service.world.workspace();
    const member = await service.world.member(workspace);
    expect(await namesOf(workspace, member)).toEqual([]);
    for (const [name, level] of [
      ['z', 'canView'],
      ['y', 'canDeploy'],
      ['x', 'canManage'],
    ] as const)
      await service.world.grant(workspace, await service.world.repository(workspace, name), member, level);
    await service.world.repository(workspace, 'w');
    const answer = await ask(workspace, member);
    expect(rowsOf<Named>(answer).map(({ name }) => name)).toEqual(['x', 'y', 'z']);
    expect(await namesOf(workspace)).toEqual(['w', 'x', 'y', 'z']);
    return answer;
  });

  it('is in the order of names for admins and members alike', async () => {
    const workspace = await service.world.workspace();
    const member = await service.world.member(workspace);
    const names = ['r', 'r-1', 'r1', 'ra', '0r', '-r', 'r--', '-', '9', 'local', 'members', 'batch'];
    for (const name of names)
      await service.world.grant(workspace, await service.world.repository(workspace, name), member, 'canView');
    expect(await namesOf(workspace)).toEqual(names.toSorted());
    expect(await namesOf(workspace, member)).toEqual(names.toSorted());
  });

  it('restricts by package type, by repository type and by both, for admins and members alike', async () => {
    const workspace = await service.world.workspace();
    const member = await service.world.member(workspace);
    const npm = await service.world.repository(workspace, 'npm-local');
    await insertRepositories(workspace.id, ['maven-local'], { packageType: 'maven' });
    const remote = await createRemote(service, workspace, { name: 'npm-remote' });
    const virtual = await createVirtual(service, workspace, [npm, remote], { name: 'npm-virtual' });
    const all = rowsOf<Named>(await ask(workspace));
    for (const repository of all) await service.world.grant(workspace, repository, member, 'canView');
    const expected = [
      [{ packageType: 'npm' }, ['npm-local', 'npm-remote', 'npm-virtual']],
      [{ packageType: 'maven' }, ['maven-local']],
      [{ packageType: 'rpm' }, []],
      [{ repositoryType: 'local' }, ['maven-local', 'npm-local']],
      [{ repositoryType: 'virtual' }, [virtual.name]],
      [{ repositoryType: 'local', packageType: 'npm' }, ['npm-local']],
      [{ repositoryType: 'remote', packageType: 'maven' }, []],
    ] as const;
    for (const [query, names] of expected)
      for (const actor of [undefined, member]) expect(await namesOf(workspace, actor, query)).toEqual(names);
  });

  itAnswers('400 REQUEST_INVALID for each filter that is no type, is repeated or is not known', async () => {
    const workspace = await service.world.workspace();
    const { bearer } = await service.world.systemAdmin();
    const queries = [
      'packageType=deb',
      'packageType=',
      'packageType=NPM',
      'packageType=npm&packageType=maven',
      'repositoryType=proxy',
      'repositoryType=local&repositoryType=local',
      'name=a',
      'PackageType=npm',
      '__proto__=x',
    ];
    return Promise.all(
      queries.map((query) =>
        service.client.sendTo(listRepositories, {
          path: `/1/workspaces/${workspace.id}/repositories?${query}`,
          headers: [['Authorization', bearer]],
        }),
      ),
    );
  });

  it('is complete right after each create, also for many at once', async () => {
    const workspace = await service.world.workspace();
    const names = Array.from({ length: 24 }, () => service.world.name());
    await Promise.all(
      names.map(async (name) => {
        await service.world.repository(workspace, name);
        expect(await namesOf(workspace)).toContain(name);
      }),
    );
    expect(await namesOf(workspace)).toEqual(names.toSorted());
  });

  it('goes on after a filtered page that is exactly full, past what the filter leaves out', async () => {
    const workspace = await service.world.workspace();
    await service.world.repository(workspace, 'a-npm');
    await insertRepositories(workspace.id, ['b-maven'], { packageType: 'maven' });
    await service.world.repository(workspace, 'c-npm');
    const pages = await walkPages<Named>((query) => ask(workspace, undefined, query), { packageType: 'npm', limit: 1 });
    expect(pages.map((page) => page.map(({ name }) => name))).toEqual([['a-npm'], ['c-npm']]);
  });

  it('skips what a filter leaves out in few calls of the table, however small the page', async () => {
    const workspace = await service.world.workspace();
    const names = Array.from({ length: 400 }, (_, index) => `npm-${String(index).padStart(4, '0')}`);
    await insertRepositories(workspace.id, names);
    await insertRepositories(workspace.id, ['z'], { packageType: 'maven' });
    service.proxy.forget();
    expect(await namesOf(workspace, undefined, { packageType: 'maven', limit: 1 })).toEqual(['z']);
    expect(service.proxy.callsOf('repositories/list-repositories').length).toBeLessThan(15);
  });
});
