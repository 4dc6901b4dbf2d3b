import { createHash } from 'node:crypto';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { contentIn, gemOf, gemPath, useGems, versionsIn } from '../../types/gems.ts';

const service = useService();
const upstream = useUpstream();
const { setting, get, published, bytesOf } = useGems(service);

const remote = async (fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> =>
  createRemote(service, setting.workspace, { packageType: 'gems', remoteRepositoryUrl: upstream.url, ...fields });

const virtualOver = async (children: readonly Named[]): Promise<Named> =>
  createVirtual(service, setting.workspace, children, { packageType: 'gems' });

const local = async (): Promise<Named> => service.world.repository(setting.workspace, undefined, 'gems');

/** Lets the upstream serve these contents by path. */
const serve = (contents: Readonly<Record<string, string | Uint8Array>>): void => {
  upstream.answer = (request, response) => {
    const content = contents[request.url ?? ''];
    const answer = content === undefined ? refusing(404) : serving(content, { ETag: `"${sha256(content)}"` });
    answer(request, response);
  };
};

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
const tool = gemOf({ name: 'tool', version: '1.0.0', content: 'of the upstream' });
const infoOf = (...lines: string[]): string => `---\n${lines.map((line) => `${line}\n`).join('')}`;
const line = `1.0.0 rake:>= 0|checksum:${sha256(tool)},ruby:>= 2.0`;
const upstreamInfo = infoOf(line);
const versionsOf = (...lines: string[]): string => `created_at: 2026-01-01T00:00:00Z\n${infoOf(...lines)}`;

const site = {
  '/versions': versionsOf('rake 13.0.0,13.1.0 00000000000000000000000000000000', `tool 1.0.0 ${md5(upstreamInfo)}`),
  '/info/tool': upstreamInfo,
  '/gems/tool-1.0.0.gem': tool,
  '/quick/Marshal.4.8/tool-1.0.0.gemspec.rz': 'a gemspec',
};

const asked = (): unknown[] => upstream.requests.map(({ url }) => url);

describe('A remote repository of gems', () => {
  it('passes on documents and files, and keeps them', async () => {
    serve(site);
    const repository = await remote();
    const info = await get('info/tool', { repository });
    expect([info.text, info.headers.etag]).toEqual([upstreamInfo, `"${md5(upstreamInfo)}"`]);
    const file = await get('gems/tool-1.0.0.gem', { repository });
    expect(contentIn(file.text)).toBe('of the upstream');
    expect((await get('quick/Marshal.4.8/tool-1.0.0.gemspec.rz', { repository })).text).toBe('a gemspec');
    const versions = await get('versions', { repository });
    expect(versions.text.split('\n').slice(1)).toEqual(site['/versions'].split('\n').slice(1));
    expect((await get('names', { repository })).text).toBe('---\nrake\ntool\n');
    const count = upstream.requests.length;
    upstream.answer = refusing(500);
    for (const path of ['info/tool', 'gems/tool-1.0.0.gem', 'versions', 'specs.4.8.gz'])
      await bytesOf(path, repository);
    expect(upstream.requests.length).toBe(count);
  });

  it('serves the files of a gem with a number in its name, also through a virtual repository', async () => {
    const name = `${uniqueName('gem')}-1-tool`;
    const each = { name, version: '2.0.0', content: 'of the upstream' };
    const built = gemOf({ ...each, platform: 'x86_64-darwin-22', content: 'built' });
    const files = { '2.0.0': gemOf(each), '2.0.0-x86_64-darwin-22': built };
    const lines = Object.entries(files).map(([version, file]) => `${version} |checksum:${sha256(file)}`);
    const contents = Object.entries(files).flatMap(([version, file]) => [
      [`/gems/${name}-${version}.gem`, file],
      [`/quick/Marshal.4.8/${name}-${version}.gemspec.rz`, `the gemspec of ${version}`],
    ]);
    const info = infoOf(...lines);
    serve({ [`/info/${name}`]: info, ...Object.fromEntries(contents) });
    const repository = await remote();
    const virtual = await virtualOver([await local(), repository]);
    for (const from of [repository, virtual]) {
      expect(versionsIn((await get(`info/${name}`, { repository: from })).text)).toEqual(Object.keys(files));
      const texts = Object.keys(files).map(async (version) => {
        const gem = await get(`gems/${name}-${version}.gem`, { repository: from });
        const gemspec = await get(`quick/Marshal.4.8/${name}-${version}.gemspec.rz`, { repository: from });
        return [contentIn(gem.text), gemspec.text];
      });
      expect(await Promise.all(texts)).toEqual([
        ['of the upstream', 'the gemspec of 2.0.0'],
        ['built', 'the gemspec of 2.0.0-x86_64-darwin-22'],
      ]);
    }
  });

  it('appends what is new at the upstream, whatever that did with its own list', async () => {
    serve(site);
    const repository = await remote({ metadataCacheTimeTillRevalidation: 1 });
    const before = (await get('versions', { repository })).text;
    serve({ '/versions': versionsOf('rake 13.1.0,13.2.0 11111111111111111111111111111111') });
    const after = (await get('versions', { repository })).text;
    expect(after).toBe(`${before}rake 13.2.0,-13.0.0 11111111111111111111111111111111\ntool -1.0.0 ${md5('---\n')}\n`);
  });

  itAnswers('502 UPSTREAM_FAILED for a gem whose bytes are not those that info promises', async () => {
    serve({ ...site, '/gems/tool-1.0.0.gem': gemOf({ name: 'tool', version: '1.0.0', content: 'another' }) });
    return get('gems/tool-1.0.0.gem', { repository: await remote() });
  });

  itAnswers('502 UPSTREAM_FAILED for a document that is none of the compact index', async () => {
    const answers = [];
    for (const page of ['', '<html></html>', '1.0.0 |checksum:abc\n', '---\ntool 1.0.0']) {
      serve({ '/info/tool': page, '/versions': page });
      const repository = await remote();
      answers.push(await get('info/tool', { repository }), await get('versions', { repository }));
    }
    return answers;
  });

  itAnswers('404 FILE_NOT_FOUND for a version that info has not, and without a compact index', async () => {
    serve({ '/info/tool': upstreamInfo });
    const repository = await remote();
    return [await get('gems/tool-1.0.1.gem', { repository }), await get('versions', { repository })];
  });

  itAnswers('404 PACKAGE_NOT_FOUND for a gem that the upstream has not', async () => {
    serve({});
    return get('info/tool', { repository: await remote() });
  });
});

describe('A virtual repository of gems', () => {
  it('has the gems of all children, and of a name that a local one holds nothing of an upstream', async () => {
    const name = uniqueName('gem');
    const repository = await local();
    await published({ name, content: 'ours' }, { repository });
    const theirs = gemOf({ name, version: '9.9.9' });
    const info = infoOf(`9.9.9 |checksum:${sha256(theirs)}`);
    serve({
      ...site,
      '/versions': versionsOf(`${name} 9.9.9 ${md5(info)}`, `tool 1.0.0 ${md5(upstreamInfo)}`),
      [`/info/${name}`]: info,
    });
    const virtual = await virtualOver([repository, await remote()]);
    const ours = (await get(`info/${name}`, { repository: virtual })).text;
    expect(versionsIn(ours)).toEqual(['1.0.0']);
    const { text } = await get('versions', { repository: virtual });
    expect(text.split('\n').slice(2, -1).toSorted()).toEqual(
      [`${name} 1.0.0 ${md5(ours)}`, `tool 1.0.0 ${md5(upstreamInfo)}`].toSorted(),
    );
    expect((await get(`gems/${name}-9.9.9.gem`, { repository: virtual })).status).toBe(404);
    expect((await get(`quick/Marshal.4.8/${name}-9.9.9.gemspec.rz`, { repository: virtual })).status).toBe(404);
    expect(asked().filter((url) => String(url).includes(name))).toEqual([]);
    expect((await get('info/tool', { repository: virtual })).text).toBe(upstreamInfo);
  });

  it('appends a line when a local child gets a gem whose name an upstream has', async () => {
    serve(site);
    const repository = await local();
    const virtual = await virtualOver([repository, await remote()]);
    const before = (await get('versions', { repository: virtual })).text;
    await published({ name: 'tool', version: '0.1.0' }, { repository });
    const { text } = await get('versions', { repository: virtual });
    const info = (await get('info/tool', { repository: virtual })).text;
    expect(text).toBe(`${before}tool 0.1.0,-1.0.0 ${md5(info)}\n`);
  });

  it('unites the versions of a name that the rules let through, the first child first', async () => {
    serve(site);
    const repository = await local();
    await published({ name: 'tool', content: 'ours' }, { repository });
    await published({ name: 'tool', version: '2.0.0' }, { repository });
    const virtual = await virtualOver([await remote(), repository]);
    await service.client.succeed(updateRepository, {
      params: { workspace: setting.workspace.id, repository: virtual.id },
      body: { upstreamNames: { allow: ['tool'], block: [] } },
      as: setting.admin.bearer,
    });
    const info = (await get('info/tool', { repository: virtual })).text;
    expect(versionsIn(info)).toEqual(['1.0.0', '2.0.0']);
    expect(info).toContain(line);
    expect(contentIn((await get(gemPath({ name: 'tool', version: '1.0.0' }), { repository: virtual })).text)).toBe(
      'of the upstream',
    );
  });

  it('leaves out an upstream that fails, with a warning', async () => {
    upstream.answer = refusing(500);
    const repository = await local();
    const name = await published({}, { repository });
    const virtual = await virtualOver([repository, await remote()]);
    const answer = await get('versions', { repository: virtual });
    expect([answer.status, answer.headers.warning !== undefined]).toEqual([200, true]);
    expect(answer.text).toContain(`${name} 1.0.0 `);
  });
});
