import { deleteConanContent, getConanSearch } from '../../../functions/conan/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { md5, recipeFiles, recipePath, useConan } from '../../types/conan.ts';

const service = useService();
const upstream = useUpstream();
const { setting, get, json, search, send, publishedRecipe } = useConan(service);

const remote = async (fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> =>
  createRemote(service, setting.workspace, { packageType: 'conan', remoteRepositoryUrl: upstream.url, ...fields });

const virtualOver = async (...children: Named[]): Promise<Named> =>
  createVirtual(service, setting.workspace, children, { packageType: 'conan' });

const asked = (): unknown[] => upstream.requests.map(({ url }) => url);

/** Lets the upstream serve these contents by path below v2/conans/. */
const serve = (contents: Readonly<Record<string, string | object>>): void => {
  upstream.answer = (request, response) => {
    const content = contents[(request.url ?? '').replace('/v2/conans/', '')];
    if (content === undefined) return refusing(404)(request, response);
    const bytes = typeof content === 'string' ? content : JSON.stringify(content);
    return serving(bytes, { ETag: `"${sha256(bytes)}"` })(request, response);
  };
};

const recipe = recipePath('tool');
const [revision, packageId] = ['a'.repeat(32), 'b'.repeat(40)];
const time = '2026-01-02T03:04:05.678+0000';
const ofRevision = `${recipe}/revisions/${revision}`;
const ofBinary = `${ofRevision}/packages/${packageId}`;

describe('GET /conan/{workspace}/{repository}/v2/conans/{path+} of a remote repository', () => {
  it('answers each question as the upstream does, and asks at the same path', async () => {
    const contents = {
      [`${recipe}/latest`]: { revision, time, more: 1 },
      [`${recipe}/revisions`]: { revisions: [{ revision, time }], reference: 'tool/1.0' },
      [`${ofRevision}/files`]: { files: { 'conanfile.py': { md5: 'x' }, '../secret': {} } },
      [`${ofRevision}/search?list_only=False`]: { [packageId]: { content: 'info', settings: {} } },
      [`${ofBinary}/latest`]: { revision, time },
    };
    serve(contents);
    const repository = await remote();
    for (const each of [repository, await virtualOver(setting.repository, repository)]) {
      expect(await json(`${recipe}/latest`, { repository: each })).toEqual({ revision, time });
      expect(await json(`${recipe}/revisions`, { repository: each })).toEqual({ revisions: [{ revision, time }] });
      expect(await json(`${ofRevision}/files`, { repository: each })).toEqual({ files: { 'conanfile.py': {} } });
      expect(await json(`${recipe}/search`, { repository: each })).toEqual({ [packageId]: { content: 'info' } });
      expect(await json(`${ofBinary}/latest`, { repository: each })).toEqual({ revision, time });
    }
    expect(asked()).toEqual(Object.keys(contents).map((path) => `/v2/conans/${path}`));
  });

  it('keeps what is fresh, asks again once the time is over, and has the stale answer while the upstream fails', async () => {
    serve({ [`${recipe}/latest`]: { revision, time } });
    const repository = await remote({ metadataCacheTimeTillRevalidation: 1 });
    const caches: unknown[] = [];
    const read = async () => {
      const { status, headers } = await get(`${recipe}/latest`, { repository });
      caches.push([status, headers['x-stockroom-cache'], headers.warning]);
    };
    await read();
    await read();
    upstream.answer = refusing(503);
    await read();
    expect(caches).toEqual([
      [200, 'miss', undefined],
      [200, 'revalidated', undefined],
      [200, 'stale', '110 - "Response is Stale"'],
    ]);
    const kept = await remote();
    serve({ [`${recipe}/latest`]: { revision, time } });
    await json(`${recipe}/latest`, { repository: kept });
    upstream.reset();
    expect(await json(`${recipe}/latest`, { repository: kept })).toEqual({ revision, time });
    expect(asked()).toEqual([]);
  });

  it('keeps a file, which is fetched once', async () => {
    serve({ [`${ofRevision}/files/conanfile.py`]: 'the recipe' });
    const repository = await remote();
    for (let times = 0; times < 2; times += 1)
      expect((await get(`${ofRevision}/files/conanfile.py`, { repository })).text).toBe('the recipe');
    expect(asked()).toEqual([`/v2/conans/${ofRevision}/files/conanfile.py`]);
  });

  it('passes files on and keeps nothing where the cache is off', async () => {
    serve({ [`${ofRevision}/files/conanfile.py`]: 'the recipe', [`${recipe}/latest`]: { revision, time } });
    const repository = await remote({ isRemoteCacheEnabled: false });
    for (let times = 0; times < 2; times += 1) {
      const answer = await get(`${ofRevision}/files/conanfile.py`, { repository });
      const text = answer.status === 302 ? await (await fetch(answer.headers.location ?? '')).text() : answer.text;
      expect(text).toBe('the recipe');
      expect(await json(`${recipe}/latest`, { repository })).toEqual({ revision, time });
    }
    expect(asked()).toHaveLength(4);
  });

  it('finds what the upstream finds, of one package by its own search, which is kept', async () => {
    const results = ['tool/1.10', 'tool/1.9', 'tool/1.9@_/_', 'tool/1.9@me/stable', 'toolbox/1.0', 'NOT/valid'];
    serve({ 'search?q=tool%2F*': { results }, 'search?q=too*': { results } });
    const repository = await remote();
    const found = ['tool/1.9', 'tool/1.9@me/stable', 'tool/1.10'];
    for (const pattern of ['tool/*', 'tool', 'tool/1*']) expect(await search(pattern, { repository })).toEqual(found);
    expect(asked()).toEqual(['/v2/conans/search?q=tool%2F*']);
    expect(await search('too*', { repository })).toEqual([...found, 'toolbox/1.0']);
  });

  it('never asks the upstream for a name that a local child holds, or that a rule blocks', async () => {
    const { name, path, revisionPath } = await publishedRecipe();
    serve({ [`${path}/latest`]: { revision, time }, [`search?q=${name}%2F*`]: { results: [`${name}/9.9`] } });
    const repository = await virtualOver(await remote(), setting.repository);
    await json(`${path}/latest`, { repository });
    expect(await search(`${name}/*`, { repository })).toEqual([`${name}/1.0`]);
    expect(await json(`${name}/9.9/_/_/latest`, { repository })).toBe(404);
    expect((await get(`${revisionPath}/files/none`, { repository })).status).toBe(404);
    const params = { workspace: setting.workspace.id, repository: repository.id };
    const body = { upstreamNames: { block: ['tool*'] } };
    await service.client.succeed(updateRepository, { params, body, as: setting.admin.bearer });
    expect(await json(`${recipe}/latest`, { repository })).toBe(404);
    expect(await search('tool/*', { repository })).toEqual([]);
    expect(asked()).toEqual([]);
  });

  it('takes a name that a local child holds only incompletely for held', async () => {
    const name = uniqueName('lib');
    const path = `${recipePath(name)}/revisions/${revision}/files/conanfile.py`;
    await publishedRecipe({ name, version: '2.0' });
    serve({ [path]: 'of the upstream' });
    const repository = await virtualOver(setting.repository, await remote());
    expect((await get(path, { repository })).status).toBe(404);
    expect(asked()).toEqual([]);
  });

  it('exchanges its credentials for a token, which all other requests bring, and for another one once that ended', async () => {
    const sent: unknown[] = [];
    let current = 0;
    upstream.answer = (request, response) => {
      const { url = '', headers } = request;
      sent.push([url.replace('/v2/', ''), headers.authorization]);
      if (url === '/v2/users/authenticate') {
        current += 1;
        return serving(`token-${current}`)(request, response);
      }
      if (headers.authorization !== `Bearer token-${current}`) return refusing(401)(request, response);
      return serving(JSON.stringify({ revision, time }))(request, response);
    };
    const credentials = { remoteRepositoryUsername: 'me', remoteRepositoryPassword: 'secret' };
    const repository = await remote({ ...credentials, metadataCacheTimeTillRevalidation: 1 });
    expect(await json(`${recipe}/latest`, { repository })).toEqual({ revision, time });
    expect(await json(`${ofBinary}/latest`, { repository })).toEqual({ revision, time });
    current = 7;
    expect(await json(`${recipe}/latest`, { repository })).toEqual({ revision, time });
    const basic = `Basic ${Buffer.from('me:secret').toString('base64')}`;
    expect(sent).toEqual([
      ['users/authenticate', basic],
      [`conans/${recipe}/latest`, 'Bearer token-1'],
      [`conans/${ofBinary}/latest`, 'Bearer token-1'],
      [`conans/${recipe}/latest`, 'Bearer token-1'],
      ['users/authenticate', basic],
      [`conans/${recipe}/latest`, 'Bearer token-8'],
    ]);
  });

  itAnswers('502 UPSTREAM_FAILED where the upstream refuses the credentials, or gives a page for a token', async () => {
    const credentials = { remoteRepositoryUsername: 'me', remoteRepositoryPassword: 'secret' };
    const answers = [];
    for (const answer of [refusing(401), serving('<html> a page </html>')]) {
      upstream.answer = answer;
      answers.push(await get(`${recipe}/latest`, { repository: await remote(credentials) }));
    }
    return answers;
  });

  itAnswers('502 UPSTREAM_FAILED for what is no answer to the question', async () => {
    const wrong: Record<string, string | object> = {
      [`${recipe}/latest`]: { revision: '../x', time },
      [`${recipe}/revisions`]: { revisions: {} },
      [`${ofRevision}/files`]: '<html>a portal</html>',
      [`${ofRevision}/search?list_only=False`]: { [packageId]: 'x' },
    };
    serve(wrong);
    const repository = await remote();
    return Promise.all(Object.keys(wrong).map(async (path) => get(path.split('?')[0] ?? '', { repository })));
  });

  itAnswers('502 UPSTREAM_FAILED where a page or a text that is no archive comes for one', async () => {
    const path = `${ofBinary}/revisions/${revision}/files/conan_package.tgz`;
    const answers = [];
    for (const content of ['<html>a portal</html>', 'maintenance']) {
      serve({ [path]: content });
      answers.push(await get(path, { repository: await remote() }));
    }
    return answers;
  });

  itAnswers('502 UPSTREAM_FAILED for a search that the upstream does not answer', async () => {
    upstream.answer = refusing(500);
    const repository = await remote();
    return Promise.all(
      ['tool/*', 'too*'].map(async (q) =>
        send(getConanSearch, `v2/conans/search?${new URLSearchParams({ q }).toString()}`, { repository }),
      ),
    );
  });

  it('deletes what is cached', async () => {
    serve({ [`${ofRevision}/files/conanfile.py`]: 'the recipe' });
    const repository = await remote();
    const read = async () => get(`${ofRevision}/files/conanfile.py`, { repository });
    await read();

    expect((await send(deleteConanContent, `v2/conans/${ofRevision}`, { repository })).status).toBe(200);
    await read();
    expect(asked()).toHaveLength(2);
  });

  it('has the binaries of a remote child for the recipe of a local one only where the name may go upstream', async () => {
    const { name, revisionPath, files } = await publishedRecipe();
    expect(files).toEqual(recipeFiles());
    serve({ [`${revisionPath}/search?list_only=False`]: { [md5('theirs')]: { content: '' } } });
    const repository = await virtualOver(setting.repository, await remote());
    expect(await json(`${revisionPath}/search`, { repository })).toEqual({});
    const params = { workspace: setting.workspace.id, repository: repository.id };
    const body = { upstreamNames: { allow: [name] } };
    await service.client.succeed(updateRepository, { params, body, as: setting.admin.bearer });
    expect(await json(`${revisionPath}/search`, { repository })).toEqual({ [md5('theirs')]: { content: '' } });
  });
});
