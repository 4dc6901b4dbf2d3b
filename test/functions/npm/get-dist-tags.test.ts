import { getDistTags, publishNpmPackage, updateDistTag } from '../../../functions/npm/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { errorOf, publishBody, useNpmRepository } from '../../harness/npm.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const npm = useNpmRepository(service);

const get = async (name: string, more = {}) => npm.send(getDistTags, `-/package/${name}/dist-tags`, more);

describe('GET /npm/{workspace}/{repository}/-/package/{name}/dist-tags', () => {
  itAnswers('200 with each tag and its version, for every spelling of the name', async () => {
    const unscoped = uniqueName();
    const name = await npm.publish({ name: `@acme/${unscoped}` });
    await npm.send(updateDistTag, `-/package/${name}/dist-tags/beta`, { body: '"1.0.0"' });
    const answers = await Promise.all([name, `@acme%2f${unscoped}`, `@acme%2F${unscoped}`].map((each) => get(each)));
    for (const { text } of answers) expect(JSON.parse(text)).toEqual({ latest: '1.0.0', beta: '1.0.0' });
    return answers;
  });

  itAnswers('200 with the latest of the packument where nobody has set one', async () => {
    const name = uniqueName();
    for (const version of ['2.0.0', '1.0.0']) {
      const body = { ...publishBody(name, version), 'dist-tags': { next: version } };
      expect((await npm.send(publishNpmPackage, name, { body })).status).toBe(201);
    }
    await npm.forgetLatest(name);
    const answer = await get(name);
    expect(JSON.parse(answer.text)).toEqual({ latest: '2.0.0', next: '1.0.0' });
    return answer;
  });

  itAnswers('200 with the tags in the order of their names, each time', async () => {
    const name = uniqueName();
    const tags = Array.from({ length: 15 }, (_, at) => `tag-${String.fromCodePoint(97 + at)}`);
    const body = { ...publishBody(name), 'dist-tags': Object.fromEntries(tags.map((tag) => [tag, '1.0.0'])) };
    expect((await npm.send(publishNpmPackage, name, { body })).status).toBe(201);
    const answers = [await get(name), await get(name), await get(name)];
    for (const { text } of answers) expect(Object.keys(JSON.parse(text) as object)).toEqual(['latest', ...tags]);
    return answers;
  });

  itAnswers('304 until a tag moves', async () => {
    const name = await npm.publish();
    const headers = { 'If-None-Match': String((await get(name)).headers.etag) };
    const answer = await get(name, { headers });
    await npm.publish({ name, version: '2.0.0' });
    expect(await get(name, { headers })).toMatchObject({ status: 200, text: '{"latest":"2.0.0"}' });
    return answer;
  });

  itAnswers('200 through a virtual repository: of each tag that of the first child', async () => {
    const { workspace, repository: second } = npm.setting;
    const first = await service.world.repository(workspace);
    const name = await npm.publish({ version: '2.0.0' });
    await npm.send(updateDistTag, `-/package/${name}/dist-tags/beta`, { body: '"2.0.0"' });
    await npm.publish({ name }, first);
    const answer = await get(name, { repository: await createVirtual(service, workspace, [first, second]) });
    expect(JSON.parse(answer.text)).toEqual({ latest: '1.0.0', beta: '2.0.0' });
    return answer;
  });

  itAnswers('404 PACKAGE_NOT_FOUND for an unknown package, and for what names no tags', async () => {
    const name = await npm.publish();
    const answers = [await get(uniqueName()), await npm.send(getDistTags, `-/package/${name}/others`)];
    for (const answer of answers) expect(errorOf(answer)).toBe(answer.problem?.detail);
    return answers;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another package type', async () => {
    const repository = await service.world.repository(npm.setting.workspace, undefined, 'universal');
    return get(uniqueName(), { repository });
  });
});
