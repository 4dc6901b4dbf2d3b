import { deleteConanContent } from '../../../functions/conan/contracts.ts';
import {
  deletePackageVersion,
  getRepositoryUsage,
  listPackageVersions,
} from '../../../functions/packages/contracts.ts';
import type { Answer } from '../../harness/client.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { binaryFiles, md5, recipeFiles, recipePath, useConan } from '../../types/conan.ts';

const service = useService();
const { setting, json, send, put, search, publishedRecipe, publishedBinary } = useConan(service);

const remove = async (path: string, repository?: Named): Promise<Answer> =>
  send(deleteConanContent, `v2/conans/${path}`, { ...(repository && { repository }) });

const versionsLeft = async (name: string): Promise<number> => {
  const params = { workspace: setting.workspace.id, repository: setting.repository.id, package: name };
  const { result } = await service.client.attempt(listPackageVersions, { params, as: setting.admin.bearer });
  return result?.length ?? 0;
};

/** Two revisions of a recipe; the first one has two binaries, one of them in two revisions. */
const twoRevisions = async () => {
  const one = await publishedRecipe({ code: 'one' });
  const other = await publishedRecipe({ name: one.name, code: 'other' });
  const [a, again, b] = [
    await publishedBinary(one.revisionPath, 'a', md5('a')),
    await publishedBinary(one.revisionPath, 'again', md5('a')),
    await publishedBinary(one.revisionPath, 'b', md5('b')),
  ];
  return { name: one.name, path: one.path, one, other, a, again, b };
};

describe('DELETE /conan/{workspace}/{repository}/v2/conans/{path+}', () => {
  itAnswers('200 for one revision of a binary', async () => {
    const { one, a, again, b } = await twoRevisions();
    const answer = await remove(again.revisionPath);
    expect(await json(`${a.path}/latest`)).toMatchObject({ revision: a.revision });
    expect(await json(`${again.revisionPath}/files`)).toBe(404);
    expect(Object.keys((await json(`${one.revisionPath}/search`)) as object)).toEqual([b.packageId, a.packageId]);
    return answer;
  });

  itAnswers('200 for all binaries of a revision, which stays', async () => {
    const { name, one } = await twoRevisions();
    const answer = await remove(`${one.revisionPath}/packages`);
    expect(await json(`${one.revisionPath}/search`)).toEqual({});
    expect(await json(`${one.revisionPath}/files`)).toMatchObject({ files: {} });
    expect(await versionsLeft(name)).toBe(2);
    return answer;
  });

  itAnswers('200 for a revision with its binaries; the others stay', async () => {
    const { name, path, one, other } = await twoRevisions();
    const answer = await remove(one.revisionPath);
    expect(await json(`${path}/revisions`)).toMatchObject({ revisions: [{ revision: other.revision }] });
    expect(await versionsLeft(name)).toBe(1);
    return answer;
  });

  itAnswers('200 for a recipe with all of its revisions, and not for another version or user of it', async () => {
    const { name, path } = await twoRevisions();
    await publishedRecipe({ name, version: '1.0.1' });
    await publishedRecipe({ name, place: 'me/_' });
    const answer = await remove(path);
    expect(await search(`${name}/*`)).toEqual([`${name}/1.0@me`, `${name}/1.0.1`]);
    return answer;
  });

  itAnswers(
    '200 for a revision with more binaries than fit into a transaction, and nothing is left',
    async () => {
      const { name, revisionPath } = await publishedRecipe();
      const ids = Array.from({ length: 35 }, (_, at) => md5(`${at}`));
      await Promise.all(ids.map(async (id) => publishedBinary(revisionPath, 'same', id)));
      const answer = await remove(revisionPath);
      expect(await versionsLeft(name)).toBe(0);
      return answer;
    },
    120_000,
  );

  it('deletes a recipe with its binaries also where it is a version of a package', async () => {
    const { name, path, one, other, a, b } = await twoRevisions();
    const params = { workspace: setting.workspace.id, repository: setting.repository.id, package: name };
    const version = `1.0#${one.revision}`;
    const removeVersion = async () =>
      service.client.attempt(deletePackageVersion, { params: { ...params, version }, as: setting.admin.bearer });
    expect((await removeVersion()).status).toBe(200);
    for (const { revisionPath } of [one, a, b]) expect(await json(`${revisionPath}/files`)).toBe(404);
    expect(await json(`${path}/revisions`)).toMatchObject({ revisions: [{ revision: other.revision }] });
    expect(await versionsLeft(name)).toBe(1);
    expect((await removeVersion()).status).toBe(404);
  });

  it('deletes also an upload that was broken off, and counts nothing of it any more', async () => {
    const name = uniqueName('lib');
    const usage = async () => {
      const params = { workspace: setting.workspace.id, repository: setting.repository.id };
      return service.client.succeed(getRepositoryUsage, { params, as: setting.admin.bearer });
    };
    const before = await usage();
    const path = `${recipePath(name)}/revisions/${md5(name)}`;
    await put(`${path}/files/conanfile.py`, name);
    expect((await remove(path)).status).toBe(200);
    expect(await usage()).toMatchObject({ files: before.files, packages: before.packages });
  });

  it('shows a revision anew that is published again with the same bytes', async () => {
    const { path, revisionPath, name } = await publishedRecipe();
    await remove(revisionPath);
    await put(`${revisionPath}/files/conanfile.py`, 'a recipe');
    expect(await json(`${path}/latest`)).toBe(404);
    await put(`${revisionPath}/files/conanmanifest.txt`, recipeFiles()['conanmanifest.txt'] ?? '');
    expect(await search(`${name}/*`)).toHaveLength(1);
    expect(binaryFiles()).toBeDefined();
  });

  itAnswers('404 VERSION_NOT_FOUND for what is not there', async () => {
    const { path, revisionPath } = await publishedRecipe();
    return [
      await remove(`${path}/revisions/${md5('none')}`),
      await remove(`${revisionPath}/packages`),
      await remove(
        recipePath('none', '1.0')
          .replace('none', path.split('/')[0] ?? '')
          .replace('1.0', '2.0'),
      ),
    ];
  });

  itAnswers('400 PACKAGE_INVALID for what cannot be deleted', async () => {
    const { path, revisionPath } = await publishedRecipe();
    return [await remove(`${path}/latest`), await remove(`${revisionPath}/files`), await remove('a')];
  });

  itAnswers('400 REPOSITORY_READ_ONLY for a recipe of another child, which the refusal names', async () => {
    const other = await service.world.repository(setting.workspace, undefined, 'conan');
    const { revisionPath } = await publishedRecipe({}, { repository: other });
    const virtual = await createVirtual(service, setting.workspace, [setting.repository, other], {
      packageType: 'conan',
      uploadLocalRepositoryId: setting.repository.id,
    });
    const answer = await remove(revisionPath, virtual);
    expect(answer.text).toContain(other.name);
    return answer;
  });
});
