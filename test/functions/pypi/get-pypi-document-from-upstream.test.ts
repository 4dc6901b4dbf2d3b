import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { without } from '../../../shared/packages/formats/json-objects.ts';
import { cachedDocumentKey } from '../../../shared/table/packages/package-keys.ts';
import { sha256 } from '../../harness/bytes.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { coreMetadata, jsonPage, type Page, usePythonRepository, wheelName, wheelOf } from '../../harness/pypi.ts';
import { age, useRemotes } from '../../harness/remote-repositories.ts';
import { refusing, serving } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const { service, upstream } = useRemotes();
const { get, page, publish, remote, virtual, setting } = usePythonRepository(service);

const minute = 60_000;

/** A page as the public index sent it. */
const recorded = (file: string): Buffer =>
  gunzipSync(readFileSync(join(__dirname, '..', '..', 'fixtures', 'pypi', `${file}.gz`)));

/** The upstream serves these paths, and nothing else. */
const serve = (contents: Readonly<Record<string, string | Uint8Array>>): void => {
  upstream.answer = (request, response) => {
    const content = contents[request.url ?? ''];
    const answer = content === undefined ? refusing(404) : serving(content, { ETag: `"${sha256(content)}"` });
    answer(request, response);
  };
};

const asked = (): (string | undefined)[] => upstream.requests.map(({ url }) => url);

/** A remote repository whose page is that of the upstream: without a cache, METADATA is not read from wheels. */
const plainRemote = async (): Promise<Named> =>
  remote({ remoteRepositoryUrl: upstream.url, isRemoteCacheEnabled: false });

/** A page with one wheel, whose address is relative. */
const pageOf = (name: string, version: string, fields: object = {}): string => {
  const each = { name, version };
  const file = {
    filename: wheelName(each),
    url: `../../packages/${wheelName(each)}`,
    hashes: { sha256: sha256(wheelOf(each)) },
    ...fields,
  };
  return JSON.stringify({ meta: { 'api-version': '1.0' }, name, files: [file] });
};

describe('A page of a remote repository', () => {
  it.each(['requests', 'numpy'])(
    'has all that the page of %s at the public index has, but for its addresses',
    async (name) => {
      const sent = recorded(`${name}.json`);
      serve({ [`/simple/${name}/`]: sent });
      const repository = await plainRemote();
      const before = JSON.parse(sent.toString()) as Page;
      const after = await page(name, repository);
      const plain = ({ files, ...others }: Page) => ({ ...others, files: files.map((file) => without(file, 'url')) });
      expect(plain(after)).toEqual(plain(before));
      const urls = after.files.map(({ filename, url }) => [filename, String(url).split('/')] as const);
      for (const [filename, [up, , files, project, , last]] of urls)
        expect([up, files, project, last]).toEqual(['..', 'files', name, filename]);
      expect(upstream.requests.map(({ url, headers }) => [url, headers.accept?.split(',')[0]])).toEqual([
        [`/simple/${name}/`, jsonPage],
      ]);
    },
  );

  it.each(['requests', 'distribute', 'mysql-python'])('is the same if %s is a page of HTML', async (name) => {
    const sent = recorded(`${name}.html`).toString();
    serve({ [`/simple/${name}/`]: sent });
    const repository = await plainRemote();
    const { text } = await get(`simple/${name}/`, { repository, headers: { Accept: 'text/html' } });
    const linksOf = (html: string): string[] =>
      html
        .split('\n')
        .filter((line) => line.startsWith('<a '))
        .map((line) => line.replace(/href="[^"]*\//, 'href="').replace(/<br ?\/?>$/, ''));
    expect(linksOf(text)).toEqual(linksOf(sent));
    expect(linksOf(text).length).toBeGreaterThan(20);
  });

  it.each(['md5', 'sha1', 'sha224', 'sha384'])(
    'promises files by %s, and keeps none that differs',
    async (algorithm) => {
      const [name, wrong] = [uniqueName('project'), uniqueName('project')];
      const bytesOf = (project: string) => wheelOf({ name: project, version: '1.0' });
      const hexOf = (bytes: Uint8Array) => hash(algorithm, bytes, 'hex');
      const fileOf = (project: string) => wheelName({ name: project, version: '1.0' });
      const linkTo = (project: string, hex: string) =>
        `<a href="/p/${fileOf(project)}#${algorithm}=${hex}">${fileOf(project)}</a>`;
      serve({
        [`/simple/${name}/`]: linkTo(name, hexOf(bytesOf(name))),
        [`/simple/${wrong}/`]: linkTo(wrong, hexOf(Buffer.from('other'))),
        [`/p/${fileOf(name)}`]: bytesOf(name),
        [`/p/${fileOf(wrong)}`]: bytesOf(wrong),
      });
      const repository = await remote({ remoteRepositoryUrl: upstream.url });
      const statusOf = async (project: string) => {
        const { files } = await page(project, repository);
        const path = String(files[0]?.url)
          .replace(/^(\.\.\/)+/, '')
          .replace(/#.*/, '');
        return (await get(path, { repository })).status;
      };
      expect(await statusOf(name)).toBe(200);
      expect([await statusOf(wrong), await statusOf(wrong)]).toEqual([502, 502]);
    },
  );

  it('is found with and without simple at the end of the URL', async () => {
    const name = uniqueName('project');
    serve({ [`/api/simple/${name}/`]: pageOf(name, '1.0'), [`/root/+simple/${name}/`]: pageOf(name, '1.0') });
    for (const path of ['api', 'api/', 'api/simple', 'api/simple/', 'root/+simple/'])
      expect((await page(name, await remote({ remoteRepositoryUrl: `${upstream.url}/${path}` }))).name).toBe(name);
  });

  it.each([
    ['JSON', pageOf],
    ['HTML', (name: string, version: string) => `<a href="../../packages/${wheelName({ name, version })}">it</a>`],
  ])('of %s has links relative to where it is, after a redirect', async (_, made) => {
    const name = uniqueName('project');
    const file = { name, version: '1.0' };
    const repository = await plainRemote();
    serve({ [`/mirror/simple/${name}/`]: made(name, '1.0'), [`/mirror/packages/${wheelName(file)}`]: wheelOf(file) });
    const { answer } = upstream;
    upstream.answer = (request, response) =>
      request.url === `/simple/${name}/`
        ? void response.writeHead(302, { Location: `/mirror${request.url}` }).end()
        : answer(request, response);
    const { status } = await get(`files/${name}/1.0/${wheelName(file)}`, { repository });
    expect([status, asked()]).toEqual([
      200,
      [`/simple/${name}/`, `/mirror/simple/${name}/`, `/mirror/packages/${wheelName(file)}`],
    ]);
  });

  it.each([jsonPage, 'text/html'])('of many files leads to them from wherever it is sent, as %s', async (accept) => {
    const name = uniqueName('project');
    const repository = await plainRemote();
    const note = 'x'.repeat(1_000);
    const files = Array.from({ length: 5_000 }, (_, patch) => ({
      filename: wheelName({ name, version: `1.${patch}` }),
      url: `/packages/${patch}.whl`,
      hashes: {},
      yanked: note,
    }));
    const sent = JSON.stringify({ meta: { 'api-version': '1.0' }, name, files });
    serve({ [`/simple/${name}/`]: sent, '/packages/7.whl': wheelOf({ name, version: '1.7' }) });
    const answer = await get(`simple/${name}/`, { repository, headers: { Accept: accept } });
    expect(answer.status).toBe(302);
    const text = await (await fetch(String(answer.headers.location))).text();
    const [link = ''] = /http:[^"#]+-1\.7-py3-none-any\.whl/.exec(text) ?? [];
    const base = `${service.runner.url}/pypi/${setting.workspace.name}/${repository.name}/`;
    expect(link).toBe(`${base}files/${name}/1.7/${wheelName({ name, version: '1.7' })}`);
    expect((await get(link.slice(base.length), { repository })).status).toBe(200);
  });

  it('shows a new version once its time is over, and the copy while the upstream is down', async () => {
    const name = uniqueName('project');
    const repository = await remote({ remoteRepositoryUrl: upstream.url, metadataCacheTimeTillRevalidation: minute });
    serve({ [`/simple/${name}/`]: pageOf(name, '1.0') });
    const passTime = async (): Promise<void> =>
      age(cachedDocumentKey({ contentId: repository.id, name }, 'project page'), minute);
    const stateOf = async () => {
      const { text, headers } = await get(`simple/${name}/`, { repository, headers: { Accept: jsonPage } });
      const { files } = JSON.parse(text) as Page;
      return [headers['x-stockroom-cache'], ...files.map(({ filename }) => filename)];
    };
    const [one, two] = ['1.0', '2.0'].map((version) => wheelName({ name, version }));
    expect(await stateOf()).toEqual(['miss', one]);
    expect(await stateOf()).toEqual(['hit', one]);
    await passTime();
    expect(await stateOf()).toEqual(['revalidated', one]);
    serve({ [`/simple/${name}/`]: pageOf(name, '2.0') });
    await passTime();
    expect(await stateOf()).toEqual(['miss', two]);
    upstream.answer = refusing(503);
    await passTime();
    expect(await stateOf()).toEqual(['stale', two]);
  });

  itAnswers('404 PACKAGE_NOT_FOUND for what the upstream does not have, which is remembered', async () => {
    const repository = await remote({ remoteRepositoryUrl: upstream.url });
    const answers = [await get('simple/nothing/', { repository }), await get('simple/nothing/', { repository })];
    expect(asked()).toEqual(['/simple/nothing/']);
    return answers;
  });

  itAnswers('502 UPSTREAM_FAILED for a page that is none of this API', async () => {
    const name = uniqueName('project');
    const repository = await remote({ remoteRepositoryUrl: upstream.url });
    const answers = [];
    for (const sent of ['{', '{"files":1}', pageOf('other', '1.0'), pageOf(name, '1.0').replace('1.0', '2.0')]) {
      serve({ [`/simple/${name}/`]: sent });
      answers.push(await get(`simple/${name}/`, { repository }));
    }
    return answers;
  });
});

describe('A file of a remote repository', () => {
  const offer = (name: string, fields: object = {}, others: Readonly<Record<string, string>> = {}): string => {
    const each = { name, version: '1.0' };
    const path = `/packages/${wheelName(each)}`;
    serve({ [`/simple/${name}/`]: pageOf(name, '1.0', fields), [path]: wheelOf(each), ...others });
    return path;
  };

  it.each([true, false])(
    'comes from the upstream with all that belongs to it, the cache being %s',
    async (isRemoteCacheEnabled) => {
      const each = { name: uniqueName('project'), version: '1.0' };
      const metadata = coreMetadata(each);
      const path = `/packages/${wheelName(each)}`;
      const promised = { 'core-metadata': { sha256: sha256(metadata) }, 'gpg-sig': true, provenance: '/provenance' };
      offer(each.name, promised, { [`${path}.metadata`]: metadata, [`${path}.asc`]: 'signed', '/provenance': '{}' });
      const repository = await remote({ remoteRepositoryUrl: upstream.url, isRemoteCacheEnabled });
      const [file] = (await page(each.name, repository)).files;
      const folder = `files/${each.name}/1.0/${wheelName(each)}`;
      expect(file).toMatchObject({ url: `../../${folder}`, provenance: `../../${folder}.provenance` });
      const texts = [];
      for (const suffix of ['.metadata', '.asc', '.provenance'])
        texts.push((await get(folder + suffix, { repository })).text);
      expect(texts).toEqual([metadata, 'signed', '{}']);
      const { text, headers } = await get(folder, { repository });
      expect([text.length > 0, headers['x-stockroom-cache']]).toEqual([true, 'miss']);
      upstream.answer = refusing(503);
      expect((await get(folder, { repository })).status).toBe(isRemoteCacheEnabled ? 200 : 502);
    },
  );

  itAnswers('502 UPSTREAM_FAILED for a file or METADATA without its promised hash', async () => {
    const name = uniqueName('project');
    const wrong = { sha256: '0'.repeat(64) };
    const path = offer(name, { hashes: wrong, 'core-metadata': wrong }, {});
    serve({
      [`/simple/${name}/`]: pageOf(name, '1.0', { hashes: wrong, 'core-metadata': wrong }),
      [path]: 'x',
      [`${path}.metadata`]: 'x',
    });
    const repository = await remote({ remoteRepositoryUrl: upstream.url });
    const folder = `files/${name}/1.0/${wheelName({ name, version: '1.0' })}`;
    return [await get(folder, { repository }), await get(`${folder}.metadata`, { repository })];
  });

  it.each([{}, { 'core-metadata': false, 'dist-info-metadata': false }])(
    'has METADATA, read from the wheel that is fetched once, although the page says %j',
    async (fields) => {
      const each = { name: uniqueName('project'), version: '1.0' };
      const path = offer(each.name, fields);
      const repository = await virtual([await remote({ remoteRepositoryUrl: upstream.url })]);
      const [file] = (await page(each.name, repository)).files;
      expect(file).toMatchObject(
        Object.fromEntries(['core-metadata', ...Object.keys(fields)].map((key) => [key, true])),
      );
      const folder = `files/${each.name}/1.0/${wheelName(each)}`;
      const read = async (suffix = '') => {
        const { text, headers } = await get(folder + suffix, { repository });
        return [text === coreMetadata(each), headers['x-stockroom-cache']];
      };
      expect(await read('.metadata')).toEqual([true, 'miss']);
      // The wheel, which is so small that the item of its blob has it, is not read once more.
      service.proxy.forget();
      expect(await read('.metadata')).toEqual([true, 'hit']);
      expect(service.proxy.calls.flatMap(({ keys }) => keys.filter((key) => key.startsWith('BLOB#')))).toEqual([]);
      expect(await read()).toEqual([false, 'hit']);
      expect(asked()).toEqual([`/simple/${each.name}/`, path]);
    },
  );

  itAnswers('502 UPSTREAM_FAILED for METADATA of a wheel that has none', async () => {
    const name = uniqueName('project');
    serve({
      [`/simple/${name}/`]: pageOf(name, '1.0', { hashes: {} }),
      [`/packages/${wheelName({ name, version: '1.0' })}`]: 'no zip',
    });
    const repository = await remote({ remoteRepositoryUrl: upstream.url });
    return get(`files/${name}/1.0/${wheelName({ name, version: '1.0' })}.metadata`, { repository });
  });

  itAnswers('404 FILE_NOT_FOUND for what the page does not promise', async () => {
    const name = uniqueName('project');
    offer(name);
    const repository = await plainRemote();
    const folder = `files/${name}/1.0/${wheelName({ name, version: '1.0' })}`;
    const paths = [`${folder}.metadata`, `${folder}.asc`, `${folder}.provenance`, `files/${name}/1.1/${name}-1.1.zip`];
    return Promise.all(paths.map(async (path) => get(path, { repository })));
  });
});

describe('A virtual repository', () => {
  const local = async (): Promise<Named> => service.world.repository(setting.workspace, undefined, 'pypi');

  it('shows the files of all remotes, of each name that of the first child', async () => {
    const name = uniqueName('project');
    const one = pageOf(name, '1.0', { size: 1 });
    const both = JSON.parse(one) as { files: object[] };
    both.files[0] = { ...both.files[0], size: 2 };
    both.files.push(...(JSON.parse(pageOf(name, '2.0')) as { files: object[] }).files);
    serve({ [`/one/simple/${name}/`]: one, [`/two/simple/${name}/`]: JSON.stringify(both) });
    const children = await Promise.all(
      ['one', 'two'].map(async (path) => remote({ remoteRepositoryUrl: `${upstream.url}/${path}` })),
    );
    const { files } = await page(name, await virtual(children));
    expect(files.map(({ filename, size }) => [filename, size])).toEqual([
      [wheelName({ name, version: '1.0' }), 1],
      [wheelName({ name, version: '2.0' }), undefined],
    ]);
  });

  it('never asks the upstream for a name that a local child has, in any spelling', async () => {
    const [ours, theirs] = [await local(), await remote({ remoteRepositoryUrl: upstream.url })];
    const repository = await virtual([theirs, ours], { uploadLocalRepositoryId: ours.id });
    const name = uniqueName('Our.Project');
    await publish({ name, version: '1.0.0' }, { repository });
    serve({ [`/simple/${name}/`]: pageOf(name, '9.0') });
    for (const spelling of [name, name.toUpperCase(), name.replace('.', '_')])
      expect((await page(spelling, repository)).versions).toEqual(['1.0.0']);
    const file = wheelName({ name, version: '9.0' });
    expect((await get(`files/${name}/9.0/${file}`, { repository })).status).toBe(404);
    expect(asked()).toEqual([]);
  });

  it.each(['acme-*', 'Acme-*', 'acme_*', 'acme.*', 'Acme__Secret', 'ACME.secret'])(
    'never asks the upstream for a name that the rule %s blocks, in any spelling, and lists it no more',
    async (entry) => {
      const repository = await virtual([await local(), await remote({ remoteRepositoryUrl: upstream.url })]);
      const statusOf = async (spelling: string) => (await get(`simple/${spelling}/`, { repository })).status;
      const names = ['acme-secret', 'free'];
      const wheels = names.map((name) => ({ name, version: '1.0' }));
      serve({
        ...Object.fromEntries(names.map((name) => [`/simple/${name}/`, pageOf(name, '1.0')])),
        ...Object.fromEntries(wheels.map((each) => [`/packages/${wheelName(each)}`, wheelOf(each)])),
      });
      for (const each of wheels) {
        const file = `files/${each.name}/1.0/${wheelName(each)}`;
        expect([await statusOf(each.name), (await get(file, { repository })).status]).toEqual([200, 200]);
      }
      expect((await get('simple/', { repository })).text).toContain('acme-secret');
      upstream.reset();
      const params = { workspace: setting.workspace.id, repository: repository.id };
      const body = { upstreamNames: { block: [entry] } };
      await service.client.succeed(updateRepository, { params, body, as: setting.admin.bearer });
      for (const spelling of ['acme-secret', 'Acme_Secret', 'ACME.SECRET']) expect(await statusOf(spelling)).toBe(404);
      expect(asked()).toEqual([]);
      const { text } = await get('simple/', { repository });
      expect([text.includes('free'), text.includes('acme-secret')]).toEqual([true, false]);
    },
  );

  it('serves what a reachable child has, with a warning, while another one is down', async () => {
    const name = uniqueName('project');
    upstream.answer = (request, response) => {
      const isUp = request.url?.startsWith('/up/') === true;
      (isUp ? serving(pageOf(name, '1.0')) : refusing(503))(request, response);
    };
    const children = await Promise.all(
      ['down', 'up'].map(async (path) => remote({ remoteRepositoryUrl: `${upstream.url}/${path}` })),
    );
    const { status, headers } = await get(`simple/${name}/`, { repository: await virtual(children) });
    expect([status, headers['x-stockroom-origin'], headers.warning]).toEqual([
      200,
      children[1]?.name,
      expect.stringContaining(`The upstream of ${children[0]?.name} failed`),
    ]);
  });
});
