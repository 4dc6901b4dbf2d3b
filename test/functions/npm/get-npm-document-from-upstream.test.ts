import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { getDistTags, getNpmDocument } from '../../../functions/npm/contracts.ts';
import { cachedDocumentKey } from '../../../shared/table/packages/package-keys.ts';
import { fetchChecked } from '../../harness/client.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import {
  abbreviatedType,
  errorOf,
  type NpmRequest,
  packumentOf,
  serveRegistry,
  type UpstreamPackage,
  upstreamTarballOf,
  useNpmRepository,
} from '../../harness/npm.ts';
import { age, useRemotes } from '../../harness/remote-repositories.ts';
import { createRemote } from '../../harness/repositories.ts';
import { refusing, serving } from '../../harness/upstream.ts';
import { type Named, newPassword, uniqueName } from '../../harness/world.ts';

const { service, upstream } = useRemotes();
const npm = useNpmRepository(service);

const minute = 60_000;
const abbreviated = { Accept: `${abbreviatedType}; q=1.0, application/json; q=0.8, */*` };

const remote = async (fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> =>
  createRemote(service, npm.setting.workspace, { remoteRepositoryUrl: upstream.url, ...fields });

const get = async (path: string, repository: Named, request: NpmRequest = {}) =>
  npm.send(getNpmDocument, path, { repository, ...request });

type Answer = Awaited<ReturnType<typeof get>>;

const stateOf = ({ status, headers }: Answer) => [status, headers['x-stockroom-cache'], headers.warning];

const versionsOf = ({ text }: Answer): string[] => Object.keys((JSON.parse(text) as { versions: object }).versions);

const serve = (packages: Readonly<Record<string, UpstreamPackage>>): void => {
  upstream.answer = serveRegistry(upstream, packages);
};

const asked = (): (string | undefined)[] => upstream.requests.map(({ url }) => url);

/** The text of an integrity with this hash of bytes. */
const sha512 = (bytes: string | Uint8Array): string => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

const passTime = async (repository: Named, name: string, milliseconds: number, form = 'full'): Promise<void> =>
  age(cachedDocumentKey({ contentId: repository.id, name }, `packument ${form}`), milliseconds);

describe('The packument of a remote repository', () => {
  itAnswers('200 with what the upstream has, and with addresses of this service', async () => {
    const repository = await remote();
    const name = uniqueName('package');
    serve({ [name]: { '1.0.0': { manifest: { deprecated: 'old' } }, '1.1.0': {} } });
    const answer = await get(name, repository);
    const sent = packumentOf(upstream.url, name, { '1.0.0': { manifest: { deprecated: 'old' } }, '1.1.0': {} });
    for (const [version, manifest] of Object.entries(sent.versions as Record<string, { dist: { tarball: string } }>))
      manifest.dist.tarball = npm.urlOf(`${name}/-/${name}-${version}.tgz`, repository);
    expect(JSON.parse(answer.text)).toEqual(sent);
    expect([answer.headers['x-stockroom-origin'], ...stateOf(answer)]).toEqual([
      repository.name,
      200,
      'miss',
      undefined,
    ]);
    expect(stateOf(await get(name, repository))).toEqual([200, 'hit', undefined]);
    expect(upstream.requests.map(({ url, headers }) => [url, headers.accept])).toEqual([
      [`/${name}`, 'application/json'],
    ]);
    return answer;
  });

  it('is asked for in the form that the client wants, and each form is kept', async () => {
    const repository = await remote();
    const name = `@acme/${uniqueName('package')}`;
    serve({ [name]: { '1.0.0': { manifest: { description: 'Pads', dependencies: { other: '1' } } } } });
    for (const cache of ['miss', 'hit']) {
      const [short, full] = [await get(name, repository, { headers: abbreviated }), await get(name, repository)];
      expect([short, full].map((each) => each.headers['x-stockroom-cache'])).toEqual([cache, cache]);
      expect(short.headers['content-type']).toBe(abbreviatedType);
      expect([short, full].map(({ text }) => text.includes('readme'))).toEqual([false, true]);
    }
    expect(upstream.requests.map(({ url, headers }) => [url, headers.accept])).toEqual([
      [`/${name.replace('/', '%2f')}`, abbreviated.Accept],
      [`/${name.replace('/', '%2f')}`, 'application/json'],
    ]);
  });

  it('is abbreviated where the upstream sends all of it', async () => {
    const repository = await remote();
    const name = uniqueName('package');
    const sent = packumentOf(upstream.url, name, { '1.0.0': { manifest: { description: 'Pads', bin: 'x' } } });
    upstream.answer = serving(JSON.stringify(sent));
    const { text } = await get(name, repository, { headers: abbreviated });
    expect(text).toContain('"bin":"x"');
    expect(text).not.toContain('Pads');
  });

  it('is found below the path of the URL of the repository, with or without a slash at its end', async () => {
    const name = `@acme/${uniqueName('package')}`;
    const base = `${upstream.url}/api/npm`;
    upstream.answer = serveRegistry(upstream, { [name]: { '1.0.0': {} } }, base);
    for (const remoteRepositoryUrl of [base, `${base}/`])
      expect((await get(name, await remote({ remoteRepositoryUrl }))).status).toBe(200);
    expect(new Set(asked())).toEqual(new Set([`/api/npm/${name.replace('/', '%2f')}`]));
  });

  it('is asked for again once its time is over, and shows what is new', async () => {
    const repository = await remote({ metadataCacheTimeTillRevalidation: minute });
    const name = uniqueName('package');
    serve({ [name]: { '1.0.0': {} } });
    await get(name, repository);
    await passTime(repository, name, minute);
    expect(stateOf(await get(name, repository))).toEqual([200, 'revalidated', undefined]);
    serve({ [name]: { '1.0.0': {}, '2.0.0': {} } });
    expect(versionsOf(await get(name, repository))).toEqual(['1.0.0']);
    await passTime(repository, name, minute);
    const answer = await get(name, repository);
    expect([versionsOf(answer), answer.headers['x-stockroom-cache']]).toEqual([['1.0.0', '2.0.0'], 'miss']);
  });

  itAnswers('304 for who has it already, until the upstream has another one', async () => {
    const repository = await remote({ metadataCacheTimeTillRevalidation: minute });
    const name = uniqueName('package');
    serve({ [name]: { '1.0.0': {} } });
    const headers = { 'If-None-Match': String((await get(name, repository)).headers.etag) };
    const answer = await get(name, repository, { headers });
    expect([answer.text, answer.headers['x-stockroom-cache']]).toEqual(['', 'hit']);
    serve({ [name]: { '1.0.0': {}, '2.0.0': {} } });
    await passTime(repository, name, minute);
    expect((await get(name, repository, { headers })).status).toBe(200);
    return answer;
  });

  it('comes from the cache with a warning while the upstream fails', async () => {
    const repository = await remote({ metadataCacheTimeTillRevalidation: minute });
    const name = uniqueName('package');
    serve({ [name]: { '1.0.0': {} } });
    await get(name, repository);
    await passTime(repository, name, minute);
    upstream.answer = refusing(500);
    const answer = await get(name, repository);
    expect([versionsOf(answer), ...stateOf(answer)]).toEqual([['1.0.0'], 200, 'stale', '110 - "Response is Stale"']);
  });

  itAnswers('404 PACKAGE_NOT_FOUND for what the upstream does not have, and remembers it', async () => {
    const repository = await remote();
    const name = uniqueName('package');
    const answers = [await get(name, repository), await get(name, repository)];
    expect([asked(), errorOf(answers[0] as Answer)]).toEqual([
      [`/${name}`],
      `There is no package '${name}' in this repository.`,
    ]);
    return answers;
  });

  itAnswers('502 UPSTREAM_FAILED for an upstream that fails, and npm prints its host and its status', async () => {
    const repository = await remote();
    upstream.answer = refusing(503);
    const answer = await get(uniqueName('package'), repository);
    expect(errorOf(answer)).toBe(`${upstream.host} gave no usable answer (HTTP 503).`);
    return answer;
  });

  itAnswers('502 UPSTREAM_FAILED for what is no packument of this package', async () => {
    const repository = await remote();
    upstream.answer = serving('<html>');
    const answers = [await get(uniqueName('package'), repository)];
    upstream.answer = serving('{"name":"another"}');
    return [...answers, await get(uniqueName('package'), repository)];
  });

  it('is asked for each time where caching is off', async () => {
    const repository = await remote({ isRemoteCacheEnabled: false });
    const name = uniqueName('package');
    serve({ [name]: { '1.0.0': {} } });
    const first = await get(name, repository);
    const again = await get(name, repository, { headers: { 'If-None-Match': String(first.headers.etag) } });
    expect([stateOf(first), stateOf(again)]).toEqual([
      [200, 'miss', undefined],
      [304, 'miss', undefined],
    ]);
    serve({ [name]: { '2.0.0': {} } });
    expect(versionsOf(await get(name, repository))).toEqual(['2.0.0']);
    expect(upstream.requests).toHaveLength(3);
  });

  it('may have 21 MB: it comes compressed, or by a redirect', async () => {
    const repository = await remote();
    const name = uniqueName('package');
    const description = randomBytes(1_000).toString('hex');
    const versions = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, patch) => [
        `1.0.${patch}`,
        { manifest: { description: `${patch}${description}` } },
      ]),
    );
    const sent = Buffer.from(JSON.stringify(packumentOf(upstream.url, name, versions)));
    expect(sent.length).toBeGreaterThan(21_000_000);
    upstream.answer = serving(gzipSync(sent), { 'Content-Encoding': 'gzip' });
    const inflated = await fetchChecked(getNpmDocument, npm.urlOf(name, repository), {
      Authorization: npm.setting.admin.bearer,
      'Accept-Encoding': 'gzip',
    });
    const plain = await get(name, repository);
    const redirected = await fetch(String(plain.headers.location));
    expect([
      inflated.status,
      inflated.headers.get('content-encoding'),
      plain.status,
      plain.headers['x-stockroom-cache'],
    ]).toEqual([200, 'gzip', 302, 'hit']);
    expect(redirected.headers.get('content-type')).toBe('application/json');
    const text = await inflated.text();
    expect(await redirected.text()).toBe(text);
    expect(Object.keys((JSON.parse(text) as { versions: object }).versions)).toHaveLength(10_000);
  });
});

describe('A version and the dist-tags of a remote repository', () => {
  itAnswers('200 with the manifest of one version, by version and by tag', async () => {
    const repository = await remote();
    const name = uniqueName('package');
    serve({ [name]: { '1.0.0': { manifest: { description: 'Pads' } } } });
    const answers = [await get(`${name}/1.0.0`, repository), await get(`${name}/latest`, repository)];
    for (const { text } of answers)
      expect(JSON.parse(text)).toMatchObject({
        version: '1.0.0',
        description: 'Pads',
        dist: { tarball: npm.urlOf(`${name}/-/${name}-1.0.0.tgz`, repository), signatures: [{ keyid: 'SHA256:key' }] },
      });
    return answers;
  });

  itAnswers('404 VERSION_NOT_FOUND for a version that the upstream does not have', async () => {
    const repository = await remote();
    const name = uniqueName('package');
    serve({ [name]: { '1.0.0': {} } });
    return get(`${name}/2.0.0`, repository);
  });

  itAnswers('200 with the dist-tags of the upstream', async () => {
    const repository = await remote();
    const name = uniqueName('package');
    serve({ [name]: { '1.0.0': {}, '2.0.0': {} } });
    const answer = await npm.send(getDistTags, `-/package/${name}/dist-tags`, { repository });
    expect([JSON.parse(answer.text), answer.headers['x-stockroom-cache']]).toEqual([{ latest: '2.0.0' }, 'miss']);
    return answer;
  });

  itAnswers('502 UPSTREAM_FAILED for dist-tags of an upstream that fails', async () => {
    const repository = await remote();
    upstream.answer = refusing(500);
    return npm.send(getDistTags, `-/package/${uniqueName()}/dist-tags`, { repository });
  });
});

describe('The tarball of a remote repository', () => {
  itAnswers('200 with the bytes of the upstream, which are kept for ever', async () => {
    const repository = await remote({ fileCacheTimeTillRevalidation: 1 });
    const name = `@acme/${uniqueName('package')}`;
    serve({ [name]: { '1.0.0': {} } });
    const path = `${name}/-/${name.slice('@acme/'.length)}-1.0.0.tgz`;
    const answer = await get(path, repository);
    expect([answer.text, answer.headers['x-stockroom-origin'], ...stateOf(answer)]).toEqual([
      upstreamTarballOf(name, '1.0.0').toString(),
      repository.name,
      200,
      'miss',
      undefined,
    ]);
    upstream.reset();
    expect(stateOf(await get(path, repository))).toEqual([200, 'hit', undefined]);
    expect(asked()).toEqual([]);
    return answer;
  });

  it('is found wherever the packument says, and the credentials go to the origin of the repository alone', async () => {
    const password = newPassword();
    const name = uniqueName('package');
    const elsewhere = `http://localhost:${new URL(upstream.url).port}/download/${name}/0a1b?sig=2`;
    const repository = await remote({ remoteRepositoryUsername: 'ci', remoteRepositoryPassword: password });
    const packages = { [name]: { '1.0.0': { url: elsewhere }, '2.0.0': { url: '/files/two' } } };
    upstream.answer = (request, response) => {
      const isFile = request.url?.startsWith('/download/') || request.url === '/files/two';
      const version = request.url === '/files/two' ? '2.0.0' : '1.0.0';
      (isFile ? serving(upstreamTarballOf(name, version)) : serveRegistry(upstream, packages))(request, response);
    };
    for (const version of ['1.0.0', '2.0.0'])
      expect((await get(`${name}/-/${name}-${version}.tgz`, repository)).text).toBe(
        upstreamTarballOf(name, version).toString(),
      );
    const basic = `Basic ${Buffer.from(`ci:${password}`).toString('base64')}`;
    expect(upstream.requests.map(({ url, headers }) => [headers.host, url, headers.authorization])).toEqual([
      [upstream.host, `/${name}`, basic],
      [new URL(elsewhere).host, `/download/${name}/0a1b?sig=2`, undefined],
      [upstream.host, '/files/two', basic],
    ]);
  });

  it.each([
    ['full', {}],
    ['abbreviated', abbreviated],
  ])(
    'is found by the %s packument if that is kept, and then by the one that was asked for last',
    async (form, headers) => {
      const repository = await remote({ metadataCacheTimeTillRevalidation: minute });
      const name = uniqueName('package');
      serve({ [name]: { '1.0.0': {} } });
      await get(name, repository, { headers });
      await get(`${name}/-/${name}-1.0.0.tgz`, repository);
      expect(asked().filter((url) => url === `/${name}`)).toHaveLength(1);
      await passTime(repository, name, minute, form);
      serve({ [name]: { '1.0.0': {}, '2.0.0': {} } });
      await get(name, repository, { headers: form === 'full' ? abbreviated : {} });
      expect((await get(`${name}/-/${name}-2.0.0.tgz`, repository)).status).toBe(200);
      expect(asked().filter((url) => url === `/${name}`)).toHaveLength(2);
    },
  );

  itAnswers('502 UPSTREAM_FAILED for other bytes than the packument promises, of which nothing is kept', async () => {
    const name = uniqueName('package');
    const bytes = upstreamTarballOf(name, '1.0.0');
    const integrity = sha512('other');
    const shasum = createHash('sha1').update(bytes).digest('hex');
    const wrong = { '1.0.0': { dist: { integrity, shasum } }, '2.0.0': { dist: { shasum } } };
    const answers: Answer[] = [];
    for (const fields of [{}, { isRemoteCacheEnabled: false }]) {
      const repository = await remote(fields);
      serve({ [name]: wrong });
      for (const version of ['1.0.0', '2.0.0', '1.0.0'])
        answers.push(await get(`${name}/-/${name}-${version}.tgz`, repository));
    }
    return answers;
  });

  it.each([
    ['sha1 alone', (bytes: Buffer) => ({ shasum: createHash('sha1').update(bytes).digest('hex') })],
    [
      'the stronger of two hashes',
      (bytes: Buffer) => ({
        integrity: `sha1-${createHash('sha1').update('other').digest('base64')} ${sha512(bytes)}`,
      }),
    ],
    [
      'one of several hashes of an algorithm',
      (bytes: Buffer) => ({ integrity: `${sha512('other')} ${sha512(bytes)}` }),
    ],
    ['the first of several hashes', (bytes: Buffer) => ({ integrity: `${sha512(bytes)} ${sha512('other')}` })],
    ['nothing', () => ({})],
  ])('is what the packument promises by %s', async (_, dist) => {
    const repository = await remote();
    const name = uniqueName('package');
    serve({ [name]: { '1.0.0': { dist: dist(upstreamTarballOf(name, '1.0.0')) } } });
    expect((await get(`${name}/-/${name}-1.0.0.tgz`, repository)).status).toBe(200);
  });

  it('that is large comes by a redirect, also where caching is off', async () => {
    const name = uniqueName('package');
    const tarball = randomBytes(300_000);
    for (const fields of [{}, { isRemoteCacheEnabled: false }]) {
      const repository = await remote(fields);
      serve({ [name]: { '1.0.0': { tarball } } });
      const { status, headers } = await get(`${name}/-/${name}-1.0.0.tgz`, repository);
      const content = Buffer.from(await (await fetch(String(headers.location))).arrayBuffer());
      expect([status, headers['x-stockroom-cache'], content.equals(tarball)]).toEqual([302, 'miss', true]);
    }
  });

  itAnswers('404 FILE_NOT_FOUND for what the packument does not list, and for what the upstream lost', async () => {
    const repository = await remote();
    const name = uniqueName('package');
    const lost = `${upstream.url}/lost.tgz`;
    serve({ [name]: { '1.0.0': { url: lost } } });
    const paths = ['2.0.0.tgz', '1.0.0.sigstore', '1.0.0.tgz', '1.0.0.tgz'].map((end) => `${name}/-/${name}-${end}`);
    const answers: Answer[] = [];
    for (const path of paths) answers.push(await get(path, repository));
    expect(asked().filter((url) => url === '/lost.tgz')).toHaveLength(1);
    return answers;
  });

  itAnswers('502 UPSTREAM_FAILED for a tarball that the upstream says is where nobody may ask', async () => {
    const repository = await remote();
    const name = uniqueName('package');
    serve({ [name]: { '1.0.0': { url: 'http://169.254.169.254/latest/meta-data' } } });
    return get(`${name}/-/${name}-1.0.0.tgz`, repository);
  });
});
