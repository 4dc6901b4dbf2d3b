import { setTimeout } from 'node:timers/promises';
import { deleteNpmPackage, getNpmDocument, publishNpmPackage } from '../../../functions/npm/contracts.ts';
import { deleteContent } from '../../../functions/packages/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { errorOf, type NpmRequest, publishBody, tarballOf, useNpmRepository } from '../../harness/npm.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const npm = useNpmRepository(service);

const remove = async (path: string, more = {}) => npm.send(deleteNpmPackage, path, more);

/** Deletes a package as npm does, which reads it first. */
const removePackage = async (name: string, more: NpmRequest = {}) => remove(await npm.revisionPath(name, more), more);

const versionsOf = async (name: string): Promise<string[]> => Object.keys((await npm.document(name)).versions);

/** A scoped package with two versions; the second one is the latest. */
const publishTwo = async (): Promise<{ name: string; unscoped: string }> => {
  const unscoped = uniqueName();
  const name = await npm.publish({ name: `@acme/${unscoped}` });
  await npm.publish({ name, version: '2.0.0' });
  return { name, unscoped };
};

describe('DELETE /npm/{workspace}/{repository}/{path+}', () => {
  itAnswers('200 for a version, which is gone with its tarball and its tags', async () => {
    const { name, unscoped } = await publishTwo();
    const answer = await remove(`${name}/-/${unscoped}-2.0.0.tgz/-rev/1-abc`);
    const { versions, 'dist-tags': tags } = await npm.document(name);
    expect({ versions: Object.keys(versions), tags }).toEqual({ versions: ['1.0.0'], tags: { latest: '1.0.0' } });
    expect((await npm.send(getNpmDocument, `${name}/-/${unscoped}-2.0.0.tgz`)).code).toBe('FILE_NOT_FOUND');
    expect((await npm.send(getNpmDocument, `${name}/2.0.0`)).code).toBe('VERSION_NOT_FOUND');
    return answer;
  });

  itAnswers('200 for a package, for every spelling of its name', async () => {
    const [one, other] = [await publishTwo(), await publishTwo()];
    const answers = [await removePackage(`@acme%2f${one.unscoped}`), await removePackage(other.name)];
    for (const { name } of [one, other]) expect((await npm.send(getNpmDocument, name)).code).toBe('PACKAGE_NOT_FOUND');
    return answers;
  });

  itAnswers('200 through a virtual repository, for what its upload target holds', async () => {
    const { workspace, repository } = npm.setting;
    const other = await service.world.repository(workspace);
    const children = [other, repository];
    const virtual = await createVirtual(service, workspace, children, { uploadLocalRepositoryId: repository.id });
    const name = await npm.publish();
    await npm.publish({ name, version: '2.0.0' }, other);
    const answer = await removePackage(name, { repository: virtual });
    expect((await npm.send(getNpmDocument, name)).code).toBe('PACKAGE_NOT_FOUND');
    return answer;
  });

  itAnswers(
    '400 REPOSITORY_READ_ONLY for what a virtual repository shows from another child; npm prints which',
    async () => {
      const { workspace, repository: other } = npm.setting;
      const target = await service.world.repository(workspace);
      const virtual = await createVirtual(service, workspace, [target, other], { uploadLocalRepositoryId: target.id });
      const [elsewhere, both] = [await npm.publish(), await npm.publish()];
      await npm.publish({ name: both, version: '2.0.0' }, target);
      const paths = [
        `${elsewhere}/-rev/1`,
        `${elsewhere}/-/${elsewhere}-1.0.0.tgz/-rev/1`,
        `${both}/-/${both}-1.0.0.tgz/-rev/1`,
      ];
      const answers = await Promise.all(paths.map((path) => remove(path, { repository: virtual })));
      const hint = `'${virtual.name}' is a virtual repository: requests to it change only its upload target '${target.name}'.`;
      expect(answers.map(errorOf)).toEqual(
        [elsewhere, `${elsewhere} 1.0.0`, `${both} 1.0.0`].map(
          (what) => `${hint} ${what} is in '${other.name}': send the request there.`,
        ),
      );
      for (const name of [elsewhere, both]) expect((await npm.document(name)).versions).toHaveProperty(['1.0.0']);
      return answers;
    },
  );

  itAnswers('404 PACKAGE_NOT_FOUND through a virtual repository for what no child holds any more', async () => {
    const { workspace, repository: other } = npm.setting;
    const target = await service.world.repository(workspace);
    const virtual = await createVirtual(service, workspace, [target, other], { uploadLocalRepositoryId: target.id });
    const name = await npm.publish();
    await removePackage(name);
    return remove(`${name}/-rev/1`, { repository: virtual });
  });

  itAnswers('409 VERSION_EXISTS for other bytes under a deleted version; the same ones come back', async () => {
    const name = await npm.publish();
    await removePackage(name);
    const { _attachments: attachments, ...body } = publishBody(name);
    const data = tarballOf({ name, version: '1.0.0' }, 'other bytes').toString('base64');
    const file = Object.keys(attachments)[0] ?? '';
    const versions = { '1.0.0': { name, version: '1.0.0' } };
    const answer = await npm.send(publishNpmPackage, name, {
      body: { ...body, versions, _attachments: { [file]: { data } } },
    });
    await npm.publish({ name });
    expect(await versionsOf(name)).toEqual(['1.0.0']);
    return answer;
  });

  itAnswers('404 PACKAGE_NOT_FOUND for an unknown package, and once it is deleted', async () => {
    const name = await npm.publish();
    const path = await npm.revisionPath(name);
    await remove(path);
    return [await remove(path), await remove(`${uniqueName()}/-rev/1`)];
  });

  itAnswers(
    '409 PACKAGE_CHANGED for a package that changed since npm read it, and all of it stays; npm prints that',
    async () => {
      const { workspace, repository } = npm.setting;
      const other = await service.world.repository(workspace);
      const children = [other, repository];
      const virtual = await createVirtual(service, workspace, children, { uploadLocalRepositoryId: repository.id });
      const name = await npm.publish();
      const paths = [await npm.revisionPath(name), await npm.revisionPath(name, { repository: virtual })];
      await npm.publish({ name, version: '1.0.1' });
      const answers = [await remove(paths[0] ?? ''), await remove(paths[1] ?? '', { repository: virtual })];
      expect(answers.map(errorOf)).toEqual(answers.map(({ problem }) => problem?.detail));
      expect(await versionsOf(name)).toEqual(['1.0.0', '1.0.1']);
      expect((await removePackage(name)).status).toBe(200);
      return answers;
    },
  );

  itAnswers('409 PACKAGE_CHANGED for a package of another content of the repository', async () => {
    const { workspace, admin } = npm.setting;
    const repository = await service.world.repository(workspace);
    const name = await npm.publish({}, repository);
    const path = await npm.revisionPath(name, { repository });
    const params = { workspace: workspace.id, repository: repository.id };
    await service.client.succeed(deleteContent, { params, as: admin.bearer });
    await npm.publish({ name }, repository);
    return remove(path, { repository });
  });

  itAnswers(
    '409 PACKAGE_CHANGED when somebody publishes between the parts of a deletion: that version stays',
    async () => {
      const name = await npm.publish();
      for (let minor = 1; minor < 20; minor += 1) await npm.publish({ name, version: `1.${minor}.0` });
      const path = await npm.revisionPath(name);
      service.proxy.forget();
      const functionId = deleteNpmPackage.id;
      const operation = 'TransactWriteItems';
      service.proxy.inject({ functionId, operation, fault: 'hang', after: 1, times: 1 });
      const removing = remove(path);
      const parts = () => service.proxy.callsOf(functionId).filter((call) => call.operation === operation);
      while (parts().length < 2) await setTimeout(5);
      await npm.publish({ name, version: '2.0.0' });
      const answer = await removing;
      service.proxy.heal();
      const versions = await versionsOf(name);
      expect(versions).toContain('2.0.0');
      expect(versions.length).toBeLessThan(20);
      return answer;
    },
    60_000,
  );

  itAnswers('404 VERSION_NOT_FOUND for a version that is not there', async () => {
    const { name, unscoped } = await publishTwo();
    return remove(`${name}/-/${unscoped}-3.0.0.tgz/-rev/1`);
  });

  itAnswers('400 PACKAGE_INVALID for paths that name neither, and nothing is deleted', async () => {
    const { name, unscoped } = await publishTwo();
    const paths = [
      name,
      `${name}/1.0.0`,
      `${name}/-/${unscoped}-1.0.0.tgz`,
      `${name}/-/${unscoped}-1.0.0.sigstore/-rev/1`,
    ];
    const answers = await Promise.all(paths.map((path) => remove(path)));
    expect(await versionsOf(name)).toEqual(['1.0.0', '2.0.0']);
    return answers;
  });

  itAnswers(
    '200 through a virtual repository, also when it has got another upload target since npm read it',
    async () => {
      const { workspace, repository, admin } = npm.setting;
      const other = await service.world.repository(workspace);
      const children = [other, repository];
      const virtual = await createVirtual(service, workspace, children, { uploadLocalRepositoryId: other.id });
      const name = await npm.publish();
      const before = await npm.revisionPath(name, { repository: virtual });
      await service.client.succeed(updateRepository, {
        params: { workspace: workspace.id, repository: virtual.id },
        body: { uploadLocalRepositoryId: repository.id },
        as: admin.bearer,
      });
      expect((await remove(before, { repository: virtual })).code).toBe('PACKAGE_CHANGED');
      return removePackage(name, { repository: virtual });
    },
  );

  itAnswers('400 REPOSITORY_READ_ONLY for a remote repository', async () =>
    remove(`${uniqueName()}/-rev/1`, { repository: await createRemote(service, npm.setting.workspace) }),
  );

  itAnswers('403 FORBIDDEN for who may only deploy; npm prints who may', async () => {
    const { workspace, repository } = npm.setting;
    const deployer = await service.world.member(workspace);
    await service.world.grant(workspace, repository, deployer, 'canDeploy');
    const { name } = await publishTwo();
    const answer = await remove(`${name}/-rev/1`, { as: deployer.bearer });
    expect(errorOf(answer)).toContain('canManage');
    expect(await versionsOf(name)).toEqual(['1.0.0', '2.0.0']);
    return answer;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another package type', async () => {
    const repository = await service.world.repository(npm.setting.workspace, undefined, 'universal');
    return remove(`${uniqueName()}/-rev/1`, { repository });
  });
});
