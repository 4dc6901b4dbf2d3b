import { publishNpmPackage, updateDistTag } from '../../../functions/npm/contracts.ts';
import { entryOf } from '../../../functions/npm/index-entries.ts';
import { keepLatest } from '../../../functions/npm/latest-tag.ts';
import { deletePackageVersion, publishPackage } from '../../../functions/packages/contracts.ts';
import { deleteVersion } from '../../../shared/packages/changes/deletion.ts';
import { publish } from '../../../shared/packages/changes/publish-to.ts';
import { Table } from '../../../shared/table/client.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { packed, publishBody, useNpmRepository } from '../../harness/npm.ts';
import { publicationOf, publishVersions, storedRepository } from '../../harness/packages.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { formOf } from '../../harness/uploads.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService({ callsAs: 'npm/publish-npm-package' });
const npm = useNpmRepository(service);

const publishUnder = async (tag: string, name: string, version: string) =>
  npm.send(publishNpmPackage, name, { body: { ...publishBody(name, version), 'dist-tags': { [tag]: version } } });

const tagsOf = async (name: string) => (await npm.document(name))['dist-tags'];

const paramsOf = () => ({ workspace: npm.setting.workspace.id, repository: npm.setting.repository.id });

const deleteThe = async (version: string, name: string) => {
  const params = { ...paramsOf(), package: name, version };
  await service.client.succeed(deletePackageVersion, { params, as: npm.setting.admin.bearer });
};

describe('latest', () => {
  itAnswers('201 under other tags: the first version is latest, and no later one moves it', async () => {
    const name = uniqueName('package');
    const answers = [
      await publishUnder('next', name, '1.0.0'),
      await publishUnder('next', name, '2.0.0'),
      await publishUnder('canary', name, '3.0.0'),
    ];
    expect(await tagsOf(name)).toEqual({ latest: '1.0.0', next: '2.0.0', canary: '3.0.0' });
    return answers;
  });

  itAnswers('201 under another tag, which leaves latest where it went when its version was deleted', async () => {
    const name = await npm.publish();
    await npm.publish({ name, version: '1.1.0' });
    await deleteThe('1.1.0', name);
    const answer = await publishUnder('canary', name, '2.0.0');
    expect(await tagsOf(name)).toEqual({ latest: '1.0.0', canary: '2.0.0' });
    return answer;
  });

  itAnswers('201 under another tag, which leaves the latest that an earlier release did not store', async () => {
    const name = uniqueName('package');
    await publishUnder('next', name, '1.1.0');
    await publishUnder('next', name, '1.0.0');
    await npm.forgetLatest(name);
    expect(await tagsOf(name)).toEqual({ latest: '1.1.0', next: '1.0.0' });
    const answer = await publishUnder('canary', name, '2.0.0');
    expect(await tagsOf(name)).toEqual({ latest: '1.1.0', next: '1.0.0', canary: '2.0.0' });
    return answer;
  });

  itAnswers('201 for a package that was deleted: its first version is latest again', async () => {
    const name = await npm.publish();
    await deleteThe('1.0.0', name);
    const answer = await publishUnder('next', name, '0.9.0');
    await publishUnder('next', name, '2.0.0');
    expect(await tagsOf(name)).toEqual({ latest: '0.9.0', next: '2.0.0' });
    return answer;
  });

  it('is the first version without npm, too', async () => {
    const name = uniqueName('package');
    for (const version of ['1.0.0-rc.1', '1.0.0-rc.2']) {
      const bytes = formOf([{ file: 'package.tgz', content: await packed({ name, version }) }]);
      const request = { params: paramsOf(), bytes, as: npm.setting.admin.bearer };
      expect((await service.client.attempt(publishPackage, request)).status).toBe(201);
    }
    await publishUnder('next', name, '2.0.0');
    expect(await tagsOf(name)).toEqual({ latest: '1.0.0-rc.1', next: '2.0.0' });
  });

  it('stays where readers see it if its version is deleted while another one is published', async () => {
    const name = uniqueName('package');
    const { workspace, repository } = npm.setting;
    await publishVersions(workspace, repository, name, 2);
    const target = await storedRepository(workspace.id, repository.id);
    const version = '2.0.0';
    const { parts } = entryOf({ name, version, dist: {} }, { version, revision: 0 });
    const fields = { name, displayName: name, version, tags: ['canary'], parts };
    let attempts = 0;
    const tagRule: typeof keepLatest = async (...read) => {
      const changes = await keepLatest(...read);
      attempts += 1;
      if (attempts === 1) await deleteVersion(new Table(), target, name, '1.0.1');
      return changes;
    };
    await publish(new Table(), publicationOf(target, { ...fields, tagRule }));
    expect(attempts).toBe(2);
    expect(await tagsOf(name)).toEqual({ latest: '1.0.0', canary: '2.0.0' });
  });

  it('of a virtual repository is that of the first child, whether it is stored or not', async () => {
    const { workspace, repository: first } = npm.setting;
    const second = await service.world.repository(workspace);
    const name = uniqueName('package');
    await publishUnder('next', name, '3.0.0');
    await npm.forgetLatest(name);
    await npm.publish({ name, version: '0.5.0' }, second);
    const repository = await createVirtual(service, workspace, [first, second]);
    expect((await npm.document(name, { repository }))['dist-tags']).toEqual({ latest: '3.0.0', next: '3.0.0' });
    await npm.send(updateDistTag, `-/package/${name}/dist-tags/latest`, { body: '"3.0.0"' });
    expect((await npm.document(name, { repository }))['dist-tags']).toEqual({ latest: '3.0.0', next: '3.0.0' });
  });
});
