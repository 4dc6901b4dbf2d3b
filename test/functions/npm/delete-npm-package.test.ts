import { deleteNpmPackage, getNpmDocument, publishNpmPackage } from '../../../functions/npm/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { errorOf, publishBody, tarballOf, useNpmRepository } from '../../harness/npm.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const npm = useNpmRepository(service);

const remove = async (path: string, more = {}) => npm.send(deleteNpmPackage, path, more);

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
    const answers = [await remove(`@acme%2f${one.unscoped}/-rev/1`), await remove(`${other.name}/-rev/1`)];
    for (const { name } of [one, other]) expect((await npm.send(getNpmDocument, name)).code).toBe('PACKAGE_NOT_FOUND');
    return answers;
  });

  itAnswers('200 through a virtual repository, for what its upload target holds', async () => {
    const { workspace, repository } = npm.setting;
    const virtual = await createVirtual(service, workspace, [repository], { uploadLocalRepositoryId: repository.id });
    const name = await npm.publish();
    const answer = await remove(`${name}/-rev/1`, { repository: virtual });
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
    await remove(`${name}/-rev/1`);
    return remove(`${name}/-rev/1`, { repository: virtual });
  });

  itAnswers('409 VERSION_EXISTS for other bytes under a deleted version; the same ones come back', async () => {
    const name = await npm.publish();
    await remove(`${name}/-rev/1`);
    const { _attachments: attachments, ...body } = publishBody(name);
    const data = tarballOf({ name, version: '1.0.0' }, 'other bytes').toString('base64');
    const file = Object.keys(attachments)[0] ?? '';
    const versions = { '1.0.0': { name, version: '1.0.0' } };
    const answer = await npm.send(publishNpmPackage, name, {
      body: { ...body, versions, _attachments: { [file]: { data } } },
    });
    await npm.publish({ name });
    expect(Object.keys((await npm.document(name)).versions)).toEqual(['1.0.0']);
    return answer;
  });

  itAnswers('404 PACKAGE_NOT_FOUND for an unknown package, and once it is deleted', async () => {
    const name = await npm.publish();
    await remove(`${name}/-rev/1`);
    return [await remove(`${name}/-rev/1`), await remove(`${uniqueName()}/-rev/1`)];
  });

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
    expect(Object.keys((await npm.document(name)).versions)).toEqual(['1.0.0', '2.0.0']);
    return answers;
  });

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
    expect(Object.keys((await npm.document(name)).versions)).toEqual(['1.0.0', '2.0.0']);
    return answer;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another package type', async () => {
    const repository = await service.world.repository(npm.setting.workspace, undefined, 'universal');
    return remove(`${uniqueName()}/-rev/1`, { repository });
  });
});
