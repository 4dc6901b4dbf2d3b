import { deleteDistTag, updateDistTag } from '../../../functions/npm/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { errorOf, useNpmRepository } from '../../harness/npm.ts';
import { createRemote } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const npm = useNpmRepository(service);

const remove = async (name: string, tag: string, more = {}) =>
  npm.send(deleteDistTag, `-/package/${name}/dist-tags/${tag}`, more);

const publishBeta = async (name = uniqueName()): Promise<string> => {
  await npm.publish({ name });
  await npm.send(updateDistTag, `-/package/${name}/dist-tags/beta`, { body: '"1.0.0"' });
  return name;
};

const tagsOf = async (name: string) => (await npm.document(name))['dist-tags'];

describe('DELETE /npm/{workspace}/{repository}/-/package/{name}/dist-tags/{tag}', () => {
  itAnswers('200 for every spelling of the name; the version stays', async () => {
    const unscoped = uniqueName();
    const name = await publishBeta(`@acme/${unscoped}`);
    expect(await tagsOf(name)).toEqual({ latest: '1.0.0', beta: '1.0.0' });
    const answer = await remove(`@acme%2f${unscoped}`, 'beta');
    expect(await tagsOf(name)).toEqual({ latest: '1.0.0' });
    expect(Object.keys((await npm.document(name)).versions)).toEqual(['1.0.0']);
    return answer;
  });

  itAnswers('200 for a tag that is not there', async () => remove(await publishBeta(), 'gamma'));

  itAnswers('400 PACKAGE_INVALID for latest, which every package has; npm prints what to do', async () => {
    const name = await publishBeta();
    const answer = await remove(name, 'latest');
    expect(errorOf(answer)).toBe("The dist-tag 'latest' cannot be removed: point it at another version.");
    expect(await tagsOf(name)).toEqual({ latest: '1.0.0', beta: '1.0.0' });
    return answer;
  });

  itAnswers('404 PACKAGE_NOT_FOUND for an unknown package', async () => remove(uniqueName(), 'beta'));

  itAnswers('400 REPOSITORY_READ_ONLY for a remote repository', async () =>
    remove(uniqueName(), 'beta', { repository: await createRemote(service, npm.setting.workspace) }),
  );

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another package type', async () => {
    const repository = await service.world.repository(npm.setting.workspace, undefined, 'universal');
    return remove(uniqueName(), 'beta', { repository });
  });
});
