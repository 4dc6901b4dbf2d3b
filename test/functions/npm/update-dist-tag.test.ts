import { deleteNpmPackage, updateDistTag } from '../../../functions/npm/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { packageHeadKey } from '../../../shared/table/packages/package-keys.ts';
import type { Answer } from '../../harness/client.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { errorOf, useNpmRepository } from '../../harness/npm.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const npm = useNpmRepository(service);

const put = async (name: string, tag: string, body = '"1.0.0"', more = {}) =>
  npm.send(updateDistTag, `-/package/${name}/dist-tags/${tag}`, { body, ...more });

const tagsOf = async (name: string) => (await npm.document(name))['dist-tags'];

describe('PUT /npm/{workspace}/{repository}/-/package/{name}/dist-tags/{tag}', () => {
  itAnswers('201 for a new tag and for one that moves, latest too, which the next read shows', async () => {
    const name = await npm.publish();
    await npm.publish({ name, version: '2.0.0' });
    const answers = [await put(name, 'beta'), await put(name, 'beta', '"2.0.0"'), await put(name, 'latest')];
    expect(await tagsOf(name)).toEqual({ latest: '1.0.0', beta: '2.0.0' });
    return answers;
  });

  itAnswers('201 for every spelling of a scoped name', async () => {
    const unscoped = uniqueName();
    const name = await npm.publish({ name: `@acme/${unscoped}` });
    const answers = [await put(`@acme%2f${unscoped}`, 'one'), await put(name, 'two')];
    expect(await tagsOf(name)).toEqual({ latest: '1.0.0', one: '1.0.0', two: '1.0.0' });
    return answers;
  });

  itAnswers('201 through a virtual repository, for a package of its upload target', async () => {
    const { workspace, repository } = npm.setting;
    const virtual = await createVirtual(service, workspace, [repository], { uploadLocalRepositoryId: repository.id });
    const name = await npm.publish();
    const answer = await put(name, 'beta', '"1.0.0"', { repository: virtual });
    expect(await tagsOf(name)).toEqual({ latest: '1.0.0', beta: '1.0.0' });
    return answer;
  });

  itAnswers('400 REPOSITORY_READ_ONLY for a version that a virtual repository shows from another child', async () => {
    const { workspace, repository: other } = npm.setting;
    const target = await service.world.repository(workspace);
    const virtual = await createVirtual(service, workspace, [target, other], { uploadLocalRepositoryId: target.id });
    const name = await npm.publish();
    const answer = await put(name, 'beta', '"1.0.0"', { repository: virtual });
    expect(errorOf(answer)).toContain(`${name} 1.0.0 is in '${other.name}': send the request there.`);
    return answer;
  });

  itAnswers('400 PACKAGE_INVALID for a tag that the package has no place for; npm prints what to do', async () => {
    const name = await npm.publish();
    const key = packageHeadKey({ contentId: npm.setting.repository.id, name });
    await new Table().writeUnrecorded([
      { update: key, set: 'SET #many = :many', values: { ':many': 'x'.repeat(409_000) } },
    ]);
    const answers = [
      await put(name, 'a'.repeat(200)),
      await put(name, 'b'.repeat(200)),
      await put(name, 'c'.repeat(200)),
    ];
    const refused = answers.filter(({ status }) => status !== 201);
    expect(errorOf(refused[0] as Answer)).toBe(
      `The tags and the readme of ${name} may have at most 400 KiB together. Remove tags that nobody needs, then try again.`,
    );
    return refused;
  });

  itAnswers('404 VERSION_NOT_FOUND for a version that is not there; npm prints that', async () => {
    const name = await npm.publish();
    const answer = await put(name, 'beta', '"2.0.0"');
    expect(errorOf(answer)).toBe(answer.problem?.detail);
    expect(await tagsOf(name)).toEqual({ latest: '1.0.0' });
    return answer;
  });

  itAnswers('404 VERSION_NOT_FOUND for a version that is deleted, also where others are left', async () => {
    const name = await npm.publish();
    await npm.publish({ name, version: '2.0.0' });
    expect((await put(name, 'stable')).status).toBe(201);
    await npm.send(deleteNpmPackage, `${name}/-/${name}-1.0.0.tgz/-rev/1`);
    const answers = [await put(name, 'beta'), await put(name, 'stable'), await put(name, 'latest')];
    expect(await tagsOf(name)).toEqual({ latest: '2.0.0' });
    return answers;
  });

  itAnswers(
    '400 PACKAGE_INVALID for a tag that npm would read as versions, and for a value that is no version',
    async () => {
      const name = await npm.publish();
      const answers = [
        await put(name, '1.0.0'),
        await put(name, '%5E1'),
        await put(name, 'v1'),
        await put(name, 'beta', '"latest"'),
        await put(name, 'beta', '{"version":"1.0.0"}'),
      ];
      expect(await tagsOf(name)).toEqual({ latest: '1.0.0' });
      return answers;
    },
  );

  itAnswers('400 BODY_MALFORMED for what is no JSON', async () => put(await npm.publish(), 'beta', '1.0.0'));

  itAnswers('400 REPOSITORY_READ_ONLY for a remote repository', async () =>
    put(uniqueName(), 'beta', '"1.0.0"', { repository: await createRemote(service, npm.setting.workspace) }),
  );

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another package type', async () => {
    const repository = await service.world.repository(npm.setting.workspace, undefined, 'universal');
    return put(uniqueName(), 'beta', '"1.0.0"', { repository });
  });
});
