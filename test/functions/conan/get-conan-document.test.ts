import { getConanDocument } from '../../../functions/conan/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { md5, recipeFiles, recipePath, revisionOf, useConan } from '../../types/conan.ts';

const service = useService();
const { setting, get, json, put, send, upload, urlOf, publishedRecipe, publishedBinary } = useConan(service);

const newRepository = async (): Promise<Named> => service.world.repository(setting.workspace, undefined, 'conan');

const virtualOver = async (...children: Named[]): Promise<Named> =>
  createVirtual(service, setting.workspace, children, { packageType: 'conan' });

const idsIn = (document: unknown): unknown[] =>
  (document as { revisions: { revision: string }[] }).revisions.map(({ revision }) => revision);

describe('GET /conan/{workspace}/{repository}/v2/conans/{path+}', () => {
  it('lists the revisions of a recipe, the newest first, and names the latest', async () => {
    const one = await publishedRecipe({ code: 'one' });
    const other = await publishedRecipe({ name: one.name, code: 'other' });
    expect(idsIn(await json(`${one.path}/revisions`))).toEqual([other.revision, one.revision]);
    expect(await json(`${one.path}/latest`)).toMatchObject({ revision: other.revision });
  });

  it('lists the revisions of a binary, the newest first, and names the latest', async () => {
    const { revisionPath } = await publishedRecipe();
    const one = await publishedBinary(revisionPath, 'one', md5('id'));
    const other = await publishedBinary(revisionPath, 'other', md5('id'));
    expect(idsIn(await json(`${one.path}/revisions`))).toEqual([other.revision, one.revision]);
    expect(await json(`${one.path}/latest`)).toMatchObject({ revision: other.revision });
  });

  it('has the conaninfo.txt of each binary, of the latest revision where the path names none, and with list_only none of them', async () => {
    const old = await publishedRecipe({ code: 'old' });
    await publishedBinary(old.revisionPath, 'old');
    const { path, revisionPath } = await publishedRecipe({ name: old.name, code: 'new' });
    const binary = await publishedBinary(revisionPath, 'new');
    const content = '[settings]\nos=Linux\n';
    for (const asked of [path, revisionPath]) {
      expect(await json(`${asked}/search?list_only=False`)).toEqual({ [binary.packageId]: { content } });
      expect(await json(`${asked}/search?list_only=True`)).toEqual({ [binary.packageId]: {} });
    }
  });

  it('answers with exactly application/json, which Conan compares', async () => {
    const { path } = await publishedRecipe();
    for (const encoding of ['identity', 'gzip, deflate']) {
      const headers = { Authorization: setting.admin.bearer, 'Accept-Encoding': encoding };
      const answer = await fetch(urlOf(`v2/conans/${path}/latest`), { headers });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    }
  });

  it('has files in folders, and those that came after the revision was complete', async () => {
    const { revisionPath } = await publishedRecipe();
    await put(`${revisionPath}/files/metadata/sign/a.sig`, 'signature');
    expect(await json(`${revisionPath}/files`)).toMatchObject({ files: { 'metadata/sign/a.sig': {} } });
    expect((await get(`${revisionPath}/files/metadata/sign/a.sig`)).text).toBe('signature');
  });

  it('keeps users and channels apart, also a user without a channel', async () => {
    const name = uniqueName('lib');
    const places = ['_/_', 'me/_', 'me/stable', 'you/stable'];
    const revisions = new Map<string, string>();
    for (const place of places) revisions.set(place, (await publishedRecipe({ name, place, code: place })).revision);
    for (const [place, revision] of revisions)
      expect(idsIn(await json(`${recipePath(name, '1.0', place)}/revisions`))).toEqual([revision]);
    expect(await json(`${recipePath(name, '1', '_/_')}/revisions`)).toBe(404);
  });

  it('redirects to a large file', async () => {
    const { revisionPath } = await publishedRecipe();
    await put(`${revisionPath}/files/metadata/large`, 'x'.repeat(300_000));
    const answer = await get(`${revisionPath}/files/metadata/large`);
    expect(answer.status).toBe(302);
    expect((await (await fetch(answer.headers.location ?? '')).text()).length).toBe(300_000);
  });

  itAnswers('404 VERSION_NOT_FOUND for a revision that is not there', async () => {
    const { path } = await publishedRecipe();
    const other = `${path}/revisions/${md5('none')}`;
    return [
      await get(`${other}/files`),
      await get(`${other}/search`),
      await get(`${other}/packages/${md5('a')}/latest`),
    ];
  });

  itAnswers('404 PACKAGE_NOT_FOUND for a package that is not there', async () => get(`${recipePath('none')}/latest`));

  itAnswers('404 FILE_NOT_FOUND for a file that is not there', async () => {
    const { revisionPath } = await publishedRecipe();
    return get(`${revisionPath}/files/none`);
  });

  itAnswers('400 PACKAGE_INVALID for a path that is none', async () =>
    Promise.all(
      [
        'acme',
        'acme/1.0/_',
        'acme/1.0/_/stable/latest',
        'Acme/1.0/_/_/latest',
        'acme/1.0/_/_/none',
        'acme/1.0/_/_/latest/more',
        'acme/1.0/_/_/revisions/a%20b/files',
        'acme/1.0/_/_/revisions/1/files/..%2Fsecret',
        'acme/1.0/_/_/revisions/1/packages/2/files',
        `acme/1.0/_/_/revisions/1/files/${'x'.repeat(250)}/${'%23'.repeat(250)}`,
      ].map(async (path) => get(path)),
    ),
  );
});

describe('GET /conan/{workspace}/{repository}/v2/conans/{path+} of a virtual repository', () => {
  it('has the latest revision of the first child that has the recipe, and lists those of others behind', async () => {
    const [first, second] = [await newRepository(), await newRepository()];
    const one = await publishedRecipe({ code: 'one' }, { repository: first });
    await publishedRecipe({ name: one.name, code: 'one' }, { repository: second });
    const other = await publishedRecipe({ name: one.name, code: 'other' }, { repository: second });
    const repository = await virtualOver(first, second);
    expect(await json(`${one.path}/latest`, { repository })).toMatchObject({ revision: one.revision });
    expect(idsIn(await json(`${one.path}/revisions`, { repository }))).toEqual([one.revision, other.revision]);
  });

  it('has the binaries of all children of one revision, each from the first child that has it', async () => {
    const [first, second] = [await newRepository(), await newRepository()];
    const { name, revisionPath } = await publishedRecipe({}, { repository: first });
    await publishedRecipe({ name }, { repository: second });
    const one = await publishedBinary(revisionPath, 'one', md5('id'), { repository: first });
    await publishedBinary(revisionPath, 'other', md5('id'), { repository: second });
    const only = await publishedBinary(revisionPath, 'only', md5('only'), { repository: second });
    const repository = await virtualOver(first, second);
    const binaries = (await json(`${revisionPath}/search`, { repository })) as object;
    expect(Object.keys(binaries).toSorted()).toEqual([one.packageId, only.packageId].toSorted());
    expect(await json(`${one.path}/latest`, { repository })).toMatchObject({ revision: one.revision });
    expect((await get(`${only.revisionPath}/files/conan_package.tgz`, { repository })).text).toBe('archive of only');
  });

  it('takes no file of a child in which the revision is not complete', async () => {
    const [first, second] = [await newRepository(), await newRepository()];
    const files = recipeFiles({ exported: true });
    const path = `${recipePath(uniqueName('lib'))}/revisions/${revisionOf(files)}`;
    await put(`${path}/files/conan_export.tgz`, 'of an upload that was broken off', { repository: first });
    const repository = await virtualOver(first, second);
    expect((await get(`${path}/files/conan_export.tgz`, { repository })).status).toBe(404);
    await upload(path, files, { repository: second });
    const archive = async () => (await get(`${path}/files/conan_export.tgz`, { repository })).text;
    expect(await archive()).toBe('export of a recipe');
    await upload(path, { ...files, 'conan_export.tgz': 'packed again' }, { repository: first });
    expect(await archive()).toBe('packed again');
  });

  it('publishes to its upload target', async () => {
    const first = await newRepository();
    const repository = await createVirtual(service, setting.workspace, [first], {
      packageType: 'conan',
      uploadLocalRepositoryId: first.id,
    });
    const { path, revision } = await publishedRecipe({}, { repository });
    expect(await json(`${path}/latest`, { repository: first })).toMatchObject({ revision });
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another type', async () => {
    const repository = await service.world.repository(setting.workspace, undefined, 'npm');
    return send(getConanDocument, `v2/conans/${recipePath('acme')}/latest`, { repository });
  });
});
