import { deleteConanContent, publishConanFile } from '../../../functions/conan/contracts.ts';
import { getPackageVersion } from '../../../functions/packages/contracts.ts';
import { updateWorkspace } from '../../../functions/workspaces/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { shareOf } from '../../harness/sampling.ts';
import { useService } from '../../harness/service.ts';
import { type Actor, uniqueName } from '../../harness/world.ts';
import {
  binaryFiles,
  md5,
  type RevisionFiles,
  recipeFiles,
  recipePath,
  revisionOf,
  useConan,
} from '../../types/conan.ts';

const service = useService();
const { setting, get, json, put, search, upload, urlOf, publishedRecipe, publishedBinary } = useConan(service);

/** A user with a level on the repository. */
const userWith = async (level: 'canView' | 'canDeploy' | 'canManage'): Promise<Actor> => {
  const user = await service.world.member(setting.workspace);
  await service.world.grant(setting.workspace, setting.repository, user, level);
  return user;
};

const permutations = <T>(items: readonly T[]): T[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item].concat(rest)));

/** A new recipe, whose files a test sends itself. */
const newRecipe = (files: RevisionFiles) => {
  const name = uniqueName('lib');
  const path = recipePath(name);
  return { name, path, files, revision: revisionOf(files), revisionPath: `${path}/revisions/${revisionOf(files)}` };
};

/** What clients are told of a revision of a recipe; of one that is not complete, nothing. */
const shownOfRecipe = async ({ name, path, revisionPath }: ReturnType<typeof newRecipe>): Promise<unknown[]> => [
  await json(`${path}/latest`),
  await json(`${path}/revisions`),
  await json(`${revisionPath}/files`),
  await json(`${revisionPath}/search`),
  await json(`${path}/search`),
  await search(`${name}/*`),
];

const nothing = [404, 404, 404, 404, 404, []];

const wholeRecipe = recipeFiles({ exported: true, sources: true });

describe('PUT /conan/{workspace}/{repository}/v2/conans/…/files/{file}', () => {
  itAnswers('201 with the file, which a client gets once the revision is complete', async () => {
    const { name, path, revision, revisionPath, files } = newRecipe(recipeFiles());
    const answer = await put(`${revisionPath}/files/conanfile.py`, files['conanfile.py'] ?? '');
    expect(JSON.parse(answer.text)).toMatchObject({
      package: name,
      version: `1.0#${revision}`,
      file: 'conanfile.py',
      sizeInBytes: 8,
    });
    await upload(revisionPath, files);
    const time: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/);
    expect(await json(`${path}/latest`)).toEqual({ revision, time });
    expect(await json(`${revisionPath}/files`)).toEqual({ files: { 'conanfile.py': {}, 'conanmanifest.txt': {} } });
    const file = await get(`${revisionPath}/files/conanfile.py`);
    expect([file.status, file.text]).toEqual([200, 'a recipe']);
    return answer;
  });

  it('shows a recipe once its last file came, in whatever order they come, and nothing of it before', async () => {
    for (const order of shareOf(permutations(Object.entries(wholeRecipe)), 4)) {
      const recipe = newRecipe(wholeRecipe);
      for (const [file, content] of order) {
        expect(await shownOfRecipe(recipe)).toEqual(nothing);
        expect((await put(`${recipe.revisionPath}/files/${file}`, content)).status).toBe(201);
      }
      expect(await json(`${recipe.revisionPath}/files`)).toEqual({
        files: Object.fromEntries(
          Object.keys(wholeRecipe)
            .toSorted()
            .map((file) => [file, {}]),
        ),
      });
      expect(await search(`${recipe.name}/*`)).toEqual([`${recipe.name}/1.0`]);
    }
  });

  it('shows a binary once its last file came, in whatever order they come, and nothing of it before', async () => {
    const { path: recipePlace, revision, revisionPath } = await publishedRecipe();
    for (const [at, order] of shareOf(permutations(Object.entries(binaryFiles())), 4).entries()) {
      const path = `${revisionPath}/packages/${md5(`binary ${at}`)}`;
      const ofBinary = `${path}/revisions/${revisionOf(binaryFiles())}`;
      const shown = async () => [
        await json(`${path}/latest`),
        await json(`${path}/revisions`),
        await json(`${ofBinary}/files`),
        Object.keys((await json(`${revisionPath}/search`)) as object).length,
      ];
      for (const [file, content] of order) {
        expect(await shown()).toEqual([404, 404, 404, at]);
        expect((await put(`${ofBinary}/files/${file}`, content)).status).toBe(201);
      }
      expect(await json(`${ofBinary}/files`)).toEqual({
        files: { 'conan_package.tgz': {}, 'conaninfo.txt': {}, 'conanmanifest.txt': {} },
      });
    }
    expect(await json(`${recipePlace}/revisions`)).toEqual({ revisions: [expect.objectContaining({ revision })] });
  });

  it('shows one revision however many of its files come at the same time', async () => {
    const recipe = newRecipe(wholeRecipe);
    const answers = await Promise.all(
      Object.entries(wholeRecipe).map(async ([file, content]) => put(`${recipe.revisionPath}/files/${file}`, content)),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const { revisions } = (await json(`${recipe.path}/revisions`)) as { revisions: unknown[] };
    expect(revisions).toHaveLength(1);
  });

  it('completes an upload that was broken off before any of its files, when it is repeated, and lists nothing until then', async () => {
    const { bearer: as } = await userWith('canDeploy');
    for (const broken of Object.keys(wholeRecipe)) {
      const recipe = newRecipe(wholeRecipe);
      // Conan goes on with the other files when one is refused.
      const others = Object.fromEntries(Object.entries(wholeRecipe).filter(([file]) => file !== broken));
      await upload(recipe.revisionPath, others, { as });
      expect(await shownOfRecipe(recipe)).toEqual(nothing);
      // Another machine packs the same files into other bytes.
      const { 'conan_sources.tgz': _, ...same } = wholeRecipe;
      await upload(recipe.revisionPath, { 'conan_sources.tgz': 'packed again', ...same }, { as });
      expect(await json(`${recipe.path}/latest`)).toMatchObject({ revision: recipe.revision });
      expect((await get(`${recipe.revisionPath}/files/conan_sources.tgz`)).text).toBe('packed again');
    }
  });

  it('completes an upload of a binary that was broken off before any of its files, and shows nothing of it until then', async () => {
    const { bearer: as } = await userWith('canDeploy');
    const { revisionPath } = await publishedRecipe();
    for (const broken of Object.keys(binaryFiles())) {
      const path = `${revisionPath}/packages/${md5(broken)}`;
      const ofBinary = `${path}/revisions/${revisionOf(binaryFiles())}`;
      await upload(ofBinary, Object.fromEntries(Object.entries(binaryFiles()).filter(([file]) => file !== broken)), {
        as,
      });
      expect([await json(`${path}/latest`), await json(`${ofBinary}/files`)]).toEqual([404, 404]);
      expect(await json(`${revisionPath}/search`)).not.toHaveProperty(md5(broken));
      await upload(ofBinary, { ...binaryFiles(), 'conan_package.tgz': 'packed again' }, { as });
      expect(await json(`${path}/latest`)).toMatchObject({ revision: revisionOf(binaryFiles()) });
      expect((await get(`${ofBinary}/files/conan_package.tgz`)).text).toBe('packed again');
    }
  });

  it('takes archives of every compression, and refuses a second one of a kind', async () => {
    const { 'conan_export.tgz': archive = '', ...others } = recipeFiles({ exported: true });
    const recipe = newRecipe(others);
    await upload(recipe.revisionPath, { 'conan_export.tzst': archive, ...others });
    expect(await json(`${recipe.path}/latest`)).toMatchObject({ revision: recipe.revision });
    const second = await put(`${recipe.revisionPath}/files/conan_export.tgz`, archive);
    expect([second.status, second.code]).toEqual([400, 'PACKAGE_INVALID']);
    expect(second.text).toContain('conan_export.tzst');
  });

  itAnswers('200 for a file that is there with the same bytes', async () => {
    const { revisionPath, files } = await publishedRecipe();
    return put(`${revisionPath}/files/conanfile.py`, files['conanfile.py'] ?? '');
  });

  itAnswers('403 FORBIDDEN for other bytes of a revision that is complete, unless the user has canManage', async () => {
    const { revisionPath } = await publishedRecipe({ exported: true });
    const file = `${revisionPath}/files/conan_export.tgz`;
    const [deployer, manager] = [await userWith('canDeploy'), await userWith('canManage')];
    const refused = await put(file, 'other', { as: deployer.bearer });
    expect((await get(file)).text).toBe('export of a recipe');
    expect((await put(file, 'other', { as: manager.bearer })).status).toBe(201);
    expect((await get(file)).text).toBe('other');
    return refused;
  });

  itAnswers(
    '403 FORBIDDEN for one more file of a revision that is complete, unless the user has canManage',
    async () => {
      const { revisionPath, files } = await publishedRecipe();
      const binary = await publishedBinary(revisionPath);
      const [deployer, manager] = [await userWith('canDeploy'), await userWith('canManage')];
      const late = [
        `${revisionPath}/files/conan_export.tgz`,
        `${revisionPath}/files/conan_sources.tgz`,
        `${revisionPath}/files/a/metadata/b`,
        `${revisionPath}/files/metadata`,
        `${binary.revisionPath}/files/lib/x`,
      ];
      const refused = await Promise.all(late.map(async (path) => put(path, 'late', { as: deployer.bearer })));
      for (const { text } of refused) expect(text).toContain('gets no more files but those in metadata/');
      expect(await json(`${revisionPath}/files`)).toEqual({
        files: Object.fromEntries(Object.keys(files).map((file) => [file, {}])),
      });
      expect((await put(`${revisionPath}/files/conan_export.tgz`, 'late', { as: manager.bearer })).status).toBe(201);
      expect((await get(`${revisionPath}/files/conan_export.tgz`)).text).toBe('late');
      return refused;
    },
  );

  it('takes files in metadata/ of a revision that is complete', async () => {
    const { bearer: as } = await userWith('canDeploy');
    const { revisionPath } = await publishedRecipe();
    const binary = await publishedBinary(revisionPath);
    for (const path of [revisionPath, binary.revisionPath]) {
      const file = `${path}/files/metadata/logs/build.log`;
      expect((await put(file, 'a log', { as })).status).toBe(201);
      expect((await put(file, 'a log', { as })).status).toBe(200);
      expect((await put(file, 'another log', { as })).status).toBe(403);
      expect((await get(file)).text).toBe('a log');
    }
  });

  itAnswers('403 FORBIDDEN for other bytes than a file had that was deleted', async () => {
    const { revisionPath } = await publishedRecipe();
    const deployer = await userWith('canDeploy');
    await service.client.succeed(deleteConanContent, {
      params: { workspace: setting.workspace.id, repository: setting.repository.id, path: revisionPath },
      as: setting.admin.bearer,
    });
    expect((await put(`${revisionPath}/files/conanfile.py`, 'a recipe', { as: deployer.bearer })).status).toBe(201);
    return put(`${revisionPath}/files/conanmanifest.txt`, '1795465122\n', { as: deployer.bearer });
  });

  itAnswers('403 FORBIDDEN with the sentence as text, which Conan prints, for who may only read', async () => {
    const viewer = await userWith('canView');
    const path = `${newRecipe(recipeFiles()).revisionPath}/files/conanfile.py`;
    const headers = { Authorization: viewer.bearer, 'User-Agent': 'Conan/2.34.0 (Linux; Python 3.11.7; x86_64)' };
    const answer = await fetch(urlOf(`v2/conans/${path}`), { method: 'PUT', headers, body: 'x' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([403, 'text/plain; charset=utf-8']);
    expect(await answer.text()).toMatch(/^Only .* may publish a file of a recipe or a binary: ask one of them\.$/);
    return put(path, 'x', { as: viewer.bearer });
  });

  itAnswers('403 QUOTA_EXCEEDED beyond the limit of the workspace', async () => {
    const workspace = await service.world.workspace();
    const repository = await service.world.repository(workspace, undefined, 'conan');
    await service.client.succeed(updateWorkspace, {
      params: { workspace: workspace.id },
      body: { storageLimit: 10 },
      as: setting.admin.bearer,
    });
    return service.client.attempt(publishConanFile, {
      params: {
        workspace: workspace.id,
        repository: repository.id,
        path: `${newRecipe(recipeFiles()).revisionPath}/files/conanfile.py`,
      },
      bytes: { content: 'more than ten bytes', mediaType: 'application/octet-stream' },
      as: setting.admin.bearer,
    });
  });

  itAnswers('404 VERSION_NOT_FOUND for a binary of a recipe that is not there, or not complete', async () => {
    const recipe = newRecipe(recipeFiles());
    const file = `${recipe.revisionPath}/packages/${md5('id')}/revisions/${md5('revision')}/files/conaninfo.txt`;
    const before = await put(file, '');
    await put(`${recipe.revisionPath}/files/conanfile.py`, 'a recipe');
    const halfway = await put(file, '');
    await upload(recipe.revisionPath, recipe.files);
    expect((await put(file, '')).status).toBe(201);
    return [before, halfway];
  });

  itAnswers('400 PACKAGE_INVALID for bytes that have not the announced SHA-1, and for a path of no file', async () => {
    const { revisionPath, path } = newRecipe(recipeFiles());
    const headers = { 'X-Checksum-Sha1': '0'.repeat(40) };
    const refused = await put(`${revisionPath}/files/conanfile.py`, 'a recipe', { headers });
    expect((await get(`${revisionPath}/files/conanfile.py`)).status).toBe(404);
    return [refused, await put(`${revisionPath}/files`, 'x'), await put(`${path}/latest`, 'x'), await put('a/b', 'x')];
  });

  it('takes bytes that have the announced SHA-1, in whatever case', async () => {
    const { revisionPath } = newRecipe(recipeFiles());
    const headers = { 'X-Checksum-Sha1': 'DA39A3EE5E6B4B0D3255BFEF95601890AFD80709' };
    expect((await put(`${revisionPath}/files/conanfile.py`, '', { headers })).status).toBe(201);
  });

  itAnswers('400 BODY_MALFORMED for a conanmanifest.txt that is none', async () => {
    const { revisionPath } = newRecipe(recipeFiles());
    return [
      await put(`${revisionPath}/files/conanmanifest.txt`, 'no time\n'),
      await put(`${revisionPath}/files/conanmanifest.txt`, '1795465121\nconanfile.py: no hash\n'),
    ];
  });

  itAnswers(
    '400 REPOSITORY_READ_ONLY in a remote repository, and in a virtual one without an upload target',
    async () => {
      const remote = await createRemote(service, setting.workspace, { packageType: 'conan' });
      const virtual = await createVirtual(service, setting.workspace, [setting.repository], { packageType: 'conan' });
      const path = `${newRecipe(recipeFiles()).revisionPath}/files/conanfile.py`;
      return [await put(path, 'x', { repository: remote }), await put(path, 'x', { repository: virtual })];
    },
  );

  it('is recorded as versions with their files', async () => {
    const recipe = await publishedRecipe({ place: 'me/stable' });
    const binary = await publishedBinary(recipe.revisionPath);
    const params = { workspace: setting.workspace.id, repository: setting.repository.id, package: recipe.name };
    const ofRecipe = `1.0@me/stable#${recipe.revision}`;
    const as = setting.admin.bearer;
    for (const [version, files] of [
      [ofRecipe, recipe.files],
      [`${ofRecipe}:${binary.packageId}#${binary.revision}`, binary.files],
    ] as const) {
      const result = await service.client.succeed(getPackageVersion, { params: { ...params, version }, as });
      expect(result.files.map(({ name }) => name).toSorted()).toEqual(Object.keys(files).toSorted());
    }
  });
});
