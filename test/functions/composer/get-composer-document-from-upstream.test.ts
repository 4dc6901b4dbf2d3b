import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import { type Named, newPassword, uniqueName } from '../../harness/world.ts';
import { packageZip, sha1, useComposer } from '../../types/composer.ts';

const service = useService();
const upstream = useUpstream();
const { setting, get, published, versions, urlOf } = useComposer(service);

const remote = async (fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> =>
  createRemote(service, setting.workspace, { packageType: 'composer', remoteRepositoryUrl: upstream.url, ...fields });

const virtualOver = async (...children: Named[]): Promise<Named> =>
  createVirtual(service, setting.workspace, children, { packageType: 'composer' });

/** Lets the upstream serve these contents by path, beside its addresses. */
const serve = (contents: Readonly<Record<string, string | Uint8Array | object>>): void => {
  const root = { packages: [], 'metadata-url': '/p2/%package%.json', 'notify-batch': '/downloads/' };
  const all: typeof contents = { '/packages.json': root, ...contents };
  upstream.answer = (request, response) => {
    const content = all[request.url ?? ''];
    if (content === undefined) return refusing(404)(request, response);
    const bytes = typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content);
    return serving(bytes, { ETag: `"${sha256(bytes)}"` })(request, response);
  };
};

const documentOf = (name: string, list: readonly object[], fields: object = {}): object => ({
  packages: { [name]: list },
  minified: 'composer/2.0',
  ...fields,
});

const zip = packageZip({ name: 'acme/tool', version: '1.0.0' });

/** A version of the upstream, as Packagist has it. */
const versionOf = (version: string, fields: object = {}) => ({
  name: 'acme/tool',
  version,
  version_normalized: `${version}.0`,
  type: 'library',
  require: { php: '>=8' },
  source: { type: 'git', url: 'https://git.example/tool.git', reference: 'abc' },
  dist: { type: 'zip', url: `${upstream.url}/zipball/${version}`, reference: `ref-${version}`, shasum: '' },
  'notification-url': `${upstream.url}/downloads/`,
  ...fields,
});

const asked = (): unknown[] => upstream.requests.map(({ url }) => url);

describe('GET /composer/{workspace}/{repository}/p2/{vendor}/{project}.json of a remote repository', () => {
  it('expands the document, and says where the files are at this address, and nothing of the upstream but the source', async () => {
    const [second, first] = [versionOf('1.1.0', { bin: ['tool'] }), versionOf('1.0.0')];
    const { version, version_normalized: normalized, dist } = first;
    const minified = { version, version_normalized: normalized, dist, bin: '__unset', unknown: { member: true } };
    serve({ '/p2/acme/tool.json': documentOf('acme/tool', [second, minified]) });
    const repository = await remote();
    for (const each of [repository, await virtualOver(setting.repository, repository)]) {
      const shown = await versions('acme/tool', { repository: each });
      const distOf = (text: string) => ({
        ...dist,
        reference: `ref-${text}`,
        url: urlOf(`dist/acme/tool/${text}/ref-${text}.zip`, each),
      });
      const { 'notification-url': _, ...rest } = first;
      expect(shown).toEqual([
        { ...rest, version: '1.1.0', version_normalized: '1.1.0.0', bin: ['tool'], dist: distOf('1.1.0') },
        { ...rest, unknown: { member: true }, dist: distOf('1.0.0') },
      ]);
      const { text } = await get('p2/acme/tool.json', { repository: each });
      expect(text).not.toContain(upstream.url);
    }
    expect(asked()).toEqual(['/packages.json', '/p2/acme/tool.json']);
  });

  it('asks for the document of development versions where packages.json says', async () => {
    serve({
      '/deep/packages.json': { 'metadata-url': `${upstream.url}/meta/%package%/versions.json` },
      '/meta/acme/tool~dev/versions.json': documentOf('acme/tool', [
        versionOf('dev-main', { version_normalized: 'dev-main' }),
        versionOf('dev-master', { version_normalized: '9999999-dev' }),
      ]),
    });
    for (const end of ['/deep', '/deep/', '/deep/packages.json']) {
      const repository = await remote({ remoteRepositoryUrl: upstream.url + end });
      const shown = await versions('acme/tool~dev', { repository });
      expect(shown.map(({ version, dist }) => [version, dist?.url.includes(`/${version}/`)])).toEqual([
        ['dev-master', true],
        ['dev-main', true],
      ]);
    }
  });

  it('keeps the document, asks again once the time is over, and has the stale one while the upstream fails', async () => {
    serve({ '/p2/acme/tool.json': documentOf('acme/tool', [versionOf('1.0.0')]) });
    const repository = await remote({ metadataCacheTimeTillRevalidation: 1 });
    const caches: unknown[] = [];
    const read = async () => {
      const { headers } = await get('p2/acme/tool.json', { repository });
      caches.push([headers['x-stockroom-cache'], headers.warning, headers['last-modified'] !== undefined]);
    };
    await read();
    await read();
    upstream.answer = refusing(503);
    await read();
    expect(caches).toEqual([
      ['miss', undefined, true],
      ['revalidated', undefined, true],
      ['stale', '110 - "Response is Stale"', true],
    ]);
  });

  it('has another date once the upstream has another version', async () => {
    const dates: unknown[] = [];
    const repository = await remote({ metadataCacheTimeTillRevalidation: 0 });
    for (const list of [[versionOf('1.0.0')], [versionOf('1.1.0'), versionOf('1.0.0')]]) {
      serve({ '/p2/acme/tool.json': documentOf('acme/tool', list) });
      dates.push((await get('p2/acme/tool.json', { repository })).headers['last-modified']);
    }
    expect(new Set(dates).size).toBe(2);
  });

  it('has versions without a file, in an object, unminified and without a normal form, and none that Composer cannot read', async () => {
    const { dist: _, ...sourceOnly } = versionOf('1.0.0');
    const { version_normalized: __, ...plain } = versionOf('2.0.0');
    const list = {
      a: sourceOnly,
      b: plain,
      c: versionOf('x', { version_normalized: undefined }),
      d: { name: 'acme/tool' },
    };
    serve({ '/p2/acme/tool.json': { packages: { 'acme/tool': list } } });
    const shown = await versions('acme/tool', { repository: await remote() });
    expect(shown.map(({ version, dist }) => [version, dist === undefined])).toEqual([
      ['2.0.0', false],
      ['1.0.0', true],
    ]);
  });

  it('has no version that its document gives another name, whole or minified, and fetches no file of one', async () => {
    const [own, foreign] = [versionOf('1.2.0', { name: 'Acme/Tool' }), versionOf('1.1.0', { name: 'acme/secret' })];
    const { name: _, ...last } = versionOf('1.0.0');
    const { name: __, ...nameless } = versionOf('1.0.1');
    const odd = versionOf('1.3.0', { name: ['acme/secret'] });
    for (const [document, expected] of [
      [documentOf('acme/tool', [own, foreign, last]), ['1.2.0']],
      [{ packages: { 'acme/tool': [own, foreign, odd, nameless] } }, ['1.2.0', '1.0.1']],
      [{ packages: { 'acme/tool': { a: own, b: foreign } } }, ['1.2.0']],
    ] as const) {
      const contents = { '/p2/acme/tool.json': document, '/p2/acme/tool~dev.json': document, '/zipball/1.1.0': zip };
      serve(contents);
      const virtual = await virtualOver(setting.repository, await remote());
      const shown = await versions('acme/tool', { repository: virtual });
      expect(shown.map(({ version }) => version)).toEqual(expected);
      const file = await get('dist/acme/tool/1.1.0/ref-1.1.0.zip', { repository: virtual });
      expect([file.status, file.code]).toEqual([404, 'FILE_NOT_FOUND']);
    }
    const branch = (name: string) =>
      versionOf(`dev-${name}`, { version_normalized: `dev-${name}`, name: `acme/${name}` });
    serve({ '/p2/acme/tool~dev.json': documentOf('acme/tool', [branch('tool'), branch('secret')]) });
    const developed = await versions('acme/tool~dev', { repository: await remote() });
    expect(developed.map(({ version }) => version)).toEqual(['dev-tool']);
  });

  it('leaves the source out where rules keep names from upstreams', async () => {
    serve({ '/p2/acme/tool.json': documentOf('acme/tool', [versionOf('1.0.0')]) });
    const virtual = await virtualOver(await remote());
    const sourceIn = async () => (await versions('acme/tool', { repository: virtual })).map(({ source }) => source);
    expect(await sourceIn()).toEqual([versionOf('1.0.0').source]);
    const params = { workspace: setting.workspace.id, repository: virtual.id };
    const body = { upstreamNames: { block: ['corp/*'] } };
    await service.client.succeed(updateRepository, { params, body, as: setting.admin.bearer });
    expect(await sourceIn()).toEqual([undefined]);
  });

  it('is not asked for a name that a local repository has', async () => {
    const name = await published();
    serve({ [`/p2/${name}.json`]: documentOf(name, [versionOf('9.9.9', { name })]) });
    const virtual = await virtualOver(await remote(), setting.repository);
    expect((await versions(name, { repository: virtual })).map(({ version }) => version)).toEqual(['1.0.0']);
    expect(asked()).toEqual([]);
  });

  it('merges by the normal form where a rule allows a name', async () => {
    const name = await published({ version: 'v1.0' });
    const list = ['1.1.0', '1.0.0'].map((version) => versionOf(version, { name }));
    serve({ [`/p2/${name}.json`]: documentOf(name, list) });
    const virtual = await virtualOver(setting.repository, await remote());
    const params = { workspace: setting.workspace.id, repository: virtual.id };
    const body = { upstreamNames: { allow: [name] } };
    await service.client.succeed(updateRepository, { params, body, as: setting.admin.bearer });
    expect((await versions(name, { repository: virtual })).map(({ version }) => version)).toEqual(['1.1.0', 'v1.0']);
  });

  itAnswers('404 PACKAGE_NOT_FOUND for what the upstream does not have, and remembers that', async () => {
    serve({});
    const repository = await remote();
    const answers = [await get('p2/acme/none.json', { repository }), await get('p2/acme/none.json', { repository })];
    expect(asked()).toEqual(['/packages.json', '/p2/acme/none.json']);
    return answers;
  });

  it.each<[string, object | string, RegExp]>([
    [
      'is for Composer 1 alone',
      { 'providers-url': '/p/%package%$%hash%.json' },
      /has no metadata-url in its packages.json/,
    ],
    ['has an address without a marker', { 'metadata-url': '/p2/' }, /has no metadata-url in its packages.json/],
    [
      'has an address that is none',
      { 'metadata-url': 'ftp://x/%package%' },
      /has no metadata-url in its packages.json/,
    ],
    ['sends a page', '<html>', /sent a document that is not valid/],
  ])('502 UPSTREAM_FAILED from an upstream that %s', async (_, root, sentence) => {
    serve({ '/packages.json': root });
    const answer = await get('p2/acme/tool.json', { repository: await remote() });
    expect([answer.status, answer.code]).toEqual([502, 'UPSTREAM_FAILED']);
    expect(answer.text).toMatch(sentence);
  });

  itAnswers('404 PACKAGE_NOT_FOUND from an upstream without a packages.json', async () => {
    upstream.answer = refusing(404);
    return get('p2/acme/tool.json', { repository: await remote() });
  });

  itAnswers('502 UPSTREAM_FAILED for an answer that is no document of the package', async () => {
    const answers = [];
    for (const document of [
      '<html>',
      '{}',
      documentOf('acme/other', []),
      documentOf('acme/tool', [1] as never),
      { packages: { 'acme/tool': 1 } },
    ]) {
      serve({ '/p2/acme/tool.json': document });
      answers.push(await get('p2/acme/tool.json', { repository: await remote() }));
    }
    return answers;
  });

  it('reads the 3,000 versions of a document of its size', async () => {
    const text = 'x'.repeat(900);
    const list = Array.from({ length: 3_000 }, (_, at) =>
      versionOf(`1.${at}.0`, { description: `${text} ${at}`, autoload: { 'psr-4': { 'Acme\\': 'src/' } } }),
    ).toReversed();
    serve({ '/p2/acme/tool.json': documentOf('acme/tool', list) });
    const shown = await versions('acme/tool', {
      repository: await remote(),
      headers: { 'Accept-Encoding': 'identity' },
    });
    expect([shown.length, shown[0]?.version, shown.at(-1)?.description]).toEqual([3_000, '1.2999.0', `${text} 0`]);
  });
});

describe('GET /composer/{workspace}/{repository}/dist/{vendor}/{project}/{version}/{file} of a remote repository', () => {
  const download = 'dist/acme/tool/1.0.0/ref-1.0.0.zip';
  const document = (fields: object = {}) => documentOf('acme/tool', [versionOf('1.0.0', fields)]);

  it('fetches the file once, from where the document says, and through redirects', async () => {
    const elsewhere = (request: { url?: string }) => request.url === '/zipball/1.0.0';
    serve({ '/p2/acme/tool.json': document(), '/codeload/tool': zip });
    const answer = upstream.answer;
    upstream.answer = (request, response) => {
      if (!elsewhere(request)) return answer(request, response);
      response.writeHead(302, { Location: `${upstream.url}/codeload/tool` });
      response.end();
    };
    const repository = await remote();
    const caches = [];
    for (let round = 0; round < 2; round += 1) {
      const { headers, text } = await get(download, { repository });
      caches.push(headers['x-stockroom-cache']);
      expect(text).toContain('A package of a test');
    }
    expect(caches).toEqual(['miss', 'hit']);
    expect(asked()).toEqual(['/packages.json', '/p2/acme/tool.json', '/zipball/1.0.0', '/codeload/tool']);
    expect(upstream.requests.every(({ headers }) => String(headers['user-agent']).startsWith('stockroom/'))).toBe(true);
  });

  it('has the earlier file of a branch that moved, for lock files that name it', async () => {
    const branch = (reference: string) => {
      const dist = { type: 'zip', url: `${upstream.url}/${reference}`, reference, shasum: '' };
      return documentOf('acme/tool', [versionOf('dev-main', { version_normalized: 'dev-main', dist })]);
    };
    const [first, second] = [zip, packageZip({ name: 'acme/tool', content: 'second' })];
    const repository = await remote({ metadataCacheTimeTillRevalidation: 0 });
    const textOf = async (reference: string) => get(`dist/acme/tool/dev-main/${reference}.zip`, { repository });
    serve({ '/p2/acme/tool~dev.json': branch('aaa'), '/aaa': first });
    expect((await textOf('aaa')).status).toBe(200);
    serve({ '/p2/acme/tool~dev.json': branch('bbb'), '/bbb': second });
    expect((await textOf('bbb')).text).toContain('/*second*/');
    expect((await textOf('aaa')).text).toContain('/**/');
    expect((await textOf('ccc')).status).toBe(404);
  });

  it('names a file without a reference, and one whose reference is no name, by its URL', async () => {
    const references = [undefined, 'a/b', '..', 'x'.repeat(300)];
    const list = references.map((reference, at) =>
      versionOf(`1.0.${at}`, { dist: { type: 'tar', url: `${upstream.url}/file/${at}`, reference } }),
    );
    serve({ '/p2/acme/tool.json': documentOf('acme/tool', list), '/file/1': 'tar' });
    const repository = await remote();
    const shown = await versions('acme/tool', { repository });
    for (const { dist } of shown) expect(dist?.url).toMatch(/\/[0-9a-f]{40}\.tar$/);
    const { pathname } = new URL(shown.find(({ version }) => version === '1.0.1')?.dist?.url ?? '');
    const answer = await get(pathname.split(`/${repository.name}/`)[1] ?? '', { repository });
    expect([answer.status, answer.text]).toEqual([200, 'tar']);
  });

  itAnswers('502 UPSTREAM_FAILED for a file with another SHA-1 than the document says, or that is no zip', async () => {
    const answers = [];
    const dist = { type: 'zip', url: `${upstream.url}/zipball/1.0.0`, reference: 'ref-1.0.0', shasum: sha1('other') };
    for (const [fields, content] of [
      [{ dist }, zip],
      [{}, '<html>Sign in</html>'],
    ] as const) {
      serve({ '/p2/acme/tool.json': document(fields), '/zipball/1.0.0': content });
      answers.push(await get(download, { repository: await remote() }));
    }
    return answers;
  });

  it('keeps a file whose SHA-1 the document says for ever', async () => {
    const dist = { type: 'zip', url: `${upstream.url}/zipball/1.0.0`, reference: 'ref-1.0.0', shasum: sha1(zip) };
    serve({ '/p2/acme/tool.json': document({ dist }), '/zipball/1.0.0': zip });
    const repository = await remote({ fileCacheTimeTillRevalidation: 0 });
    for (let round = 0; round < 2; round += 1) expect((await get(download, { repository })).status).toBe(200);
    expect(asked().filter((url) => url === '/zipball/1.0.0')).toHaveLength(1);
  });

  it('passes on what GitHub says of its limit', async () => {
    serve({ '/p2/acme/tool.json': document() });
    const answer = upstream.answer;
    upstream.answer = (request, response) => {
      if (request.url !== '/zipball/1.0.0') return answer(request, response);
      response.writeHead(403, { 'Content-Type': 'application/json', 'X-RateLimit-Remaining': '0' });
      response.end(JSON.stringify({ message: 'API rate limit exceeded for 192.0.2.1.' }));
    };
    const { status, text } = await get(download, { repository: await remote() });
    expect(status).toBe(502);
    expect(text).toContain('API rate limit exceeded for 192.0.2.1');
  });

  it('sends the credentials of the repository to its origin', async () => {
    const password = newPassword();
    serve({ '/p2/acme/tool.json': document(), '/zipball/1.0.0': zip });
    const repository = await remote({ remoteRepositoryUsername: 'ci', remoteRepositoryPassword: password });
    await get(download, { repository });
    const basic = `Basic ${Buffer.from(`ci:${password}`).toString('base64')}`;
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([basic, basic, basic]);
  });

  itAnswers('404 FILE_NOT_FOUND for what the document does not name', async () => {
    serve({ '/p2/acme/tool.json': document(), [`/p2/acme/${uniqueName()}.json`]: document() });
    const repository = await remote();
    return Promise.all(
      ['dist/acme/tool/1.0.0/other.zip', 'dist/acme/tool/1.0.1/ref-1.0.0.zip', 'dist/acme/none/1.0.0/x.zip'].map(
        async (path) => get(path, { repository }),
      ),
    );
  });
});
