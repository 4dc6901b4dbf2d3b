import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { getGoFile } from '../../../functions/go/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { fetchChecked } from '../../harness/client.ts';
import { type GoPlace, getPath, moduleZip, putModule } from '../../harness/go.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
const upstream = useUpstream();
const other = useUpstream();
let workspace: Named;
let as: string;

beforeAll(async () => {
  workspace = await service.world.workspace();
  as = (await service.world.systemAdmin()).bearer;
});

const placeOf = (repository: Named): GoPlace => ({ workspace, repository, as });

const remote = async (fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> =>
  createRemote(service, workspace, { packageType: 'go', remoteRepositoryUrl: `${upstream.url}/proxy/`, ...fields });

const get = (repository: Named, path: string) => getPath(service, placeOf(repository), path);

/** Answers like a module proxy that has these documents. */
const proxying =
  (documents: Readonly<Record<string, string | Uint8Array>>, status = 404): typeof upstream.answer =>
  (request, response) => {
    const content = documents[decodeURIComponent(request.url ?? '').replace('/proxy/', '')];
    (content === undefined ? refusing(status) : serving(content))(request, response);
  };

type Rules = { readonly allow: string[]; readonly block: string[] };

const virtualOf = async (children: readonly Named[], upstreamNames: Rules): Promise<Named> => {
  const virtual = await createVirtual(service, workspace, children, { packageType: 'go' });
  const params = { workspace: workspace.id, repository: virtual.id };
  await service.client.succeed(updateRepository, { params, body: { upstreamNames }, as });
  return virtual;
};

const asked = (from = upstream) => from.requests.map(({ url }) => decodeURIComponent(url ?? '').replace('/proxy/', ''));

const stateOf = ({ status, headers }: Awaited<ReturnType<typeof get>>) => [status, headers['x-stockroom-cache']];

/** What a public proxy answers about well-known modules, by path. */
const recorded = JSON.parse(
  gunzipSync(readFileSync(join(__dirname, '../../fixtures/go/public-proxy.json.gz'))).toString(),
) as Record<string, string>;

const name = 'corp.example/tool';
const infoOf = (version: string): string => JSON.stringify({ Version: version, Time: '2026-01-02T03:04:05Z' });

describe('GET /go/{workspace}/{repository}/{path+} of a remote repository', () => {
  it('passes on what the upstream answers, with capitals as they were sent', async () => {
    const repository = await remote();
    upstream.answer = proxying(recorded);
    for (const [path, text] of Object.entries(recorded)) {
      const answer = await get(repository, path.replaceAll('!', '%21'));
      const written = path.endsWith('.info') || path.endsWith('@latest') ? JSON.stringify(JSON.parse(text)) : text;
      expect([path, answer.status, answer.text]).toEqual([path, 200, written]);
    }
    expect(asked()).toEqual(Object.keys(recorded));
    upstream.reset();
    for (const path of Object.keys(recorded)) expect(stateOf(await get(repository, path))).toEqual([200, 'hit']);
    expect(asked()).toEqual([]);
  });

  it('lists the canonical versions alone, whatever else stands in the lines', async () => {
    const repository = await remote();
    upstream.answer = proxying({
      [`${name}/@v/list`]:
        'v1.0.0 2020-01-01T00:00:00Z\r\nv1.1.0\nv1.2\n\nmaster\nv1.2.1-0.20260102030405-abcdefabcdef\n',
    });
    const pseudo = 'v1.2.1-0.20260102030405-abcdefabcdef';
    expect((await get(repository, `${name}/@v/list`)).text).toBe(`v1.0.0\nv1.1.0\n${pseudo}\n`);
  });

  it('keeps lists and queries for the time of metadata, and files for the time of files', async () => {
    const repository = await remote({ metadataCacheTimeTillRevalidation: 1 });
    upstream.answer = proxying({
      [`${name}/@v/list`]: 'v1.0.0\n',
      [`${name}/@v/master.info`]: infoOf('v1.0.0'),
      [`${name}/@v/v1.0.0.info`]: infoOf('v1.0.0'),
      [`${name}/@latest`]: infoOf('v1.0.0'),
    });
    const paths = ['@v/list', '@v/master.info', '@latest', '@v/v1.0.0.info'].map((path) => `${name}/${path}`);
    for (const path of paths) await get(repository, path);
    upstream.answer = proxying({
      [`${name}/@v/list`]: 'v1.1.0\n',
      [`${name}/@v/master.info`]: infoOf('v1.1.0'),
      [`${name}/@latest`]: infoOf('v1.1.0'),
    });
    const texts: string[] = [];
    for (const path of paths) texts.push((await get(repository, path)).text);
    expect(texts).toEqual(['v1.1.0\n', infoOf('v1.1.0'), infoOf('v1.1.0'), infoOf('v1.0.0')]);
  });

  it('asks again for files where their time is over, and serves what it has while the upstream is down', async () => {
    const repository = await remote({ fileCacheTimeTillRevalidation: 1, metadataCacheTimeTillRevalidation: 1 });
    const zip = moduleZip(name, 'v1.0.0');
    upstream.answer = proxying({ [`${name}/@v/v1.0.0.zip`]: zip, [`${name}/@v/list`]: 'v1.0.0\n' });
    for (const file of ['v1.0.0.zip', 'list'])
      expect(stateOf(await get(repository, `${name}/@v/${file}`))).toEqual([200, 'miss']);
    upstream.answer = refusing(503);
    for (const file of ['v1.0.0.zip', 'list'])
      expect(stateOf(await get(repository, `${name}/@v/${file}`))).toEqual([200, 'stale']);
  });

  itAnswers(
    '404 PACKAGE_NOT_FOUND for a module that the upstream does not have, and remembers a 410, too',
    async () => {
      const repository = await remote();
      upstream.answer = refusing(410);
      const answers = [];
      for (const path of ['@v/list', '@v/list', '@latest', '@latest'])
        answers.push(await get(repository, `${name}/${path}`));
      expect(asked()).toEqual([`${name}/@v/list`, `${name}/@latest`]);
      return answers;
    },
  );

  itAnswers('404 VERSION_NOT_FOUND for a version that the upstream does not have, and remembers it', async () => {
    const repository = await remote();
    const files = ['v1.0.0.info', 'v1.0.0.mod', 'v1.0.0.zip', 'master.info'].map((file) => `${name}/@v/${file}`);
    const answers = [];
    for (const file of [...files, ...files]) answers.push(await get(repository, file));
    expect(asked()).toEqual(files);
    return answers;
  });

  itAnswers('502 UPSTREAM_FAILED for an upstream that fails, or answers with something else', async () => {
    const repository = await remote();
    upstream.answer = refusing(500);
    const answers = [await get(repository, `${name}/@v/list`), await get(repository, `${name}/@v/v1.0.0.zip`)];
    upstream.answer = serving('<html>');
    answers.push(await get(repository, `${name}/@latest`), await get(repository, `${name}/@v/master.info`));
    expect(answers[0]?.text).toContain(`${upstream.host} gave no usable answer (HTTP 500).`);
    return answers;
  });

  it('keeps nothing where caching is off', async () => {
    const repository = await remote({ isRemoteCacheEnabled: false });
    const documents = { [`${name}/@v/list`]: 'v1.0.0\n', [`${name}/@v/v1.0.0.mod`]: 'module x\n' };
    upstream.answer = proxying(documents);
    for (const path of Object.keys(documents)) {
      expect(stateOf(await get(repository, path))).toEqual([200, 'miss']);
      expect(stateOf(await get(repository, path))).toEqual([200, 'miss']);
    }
    expect(asked()).toHaveLength(4);
  });
});

describe('A checksum database', () => {
  const database = 'sums.example/db';
  const documents = {
    [`sumdb/${database}/supported`]: '',
    [`sumdb/${database}/latest`]: 'go.sum database tree\n',
    [`sumdb/${database}/lookup/${name}@v1.0.0`]: '1\ncorp.example/tool v1.0.0 h1:x\n',
    [`sumdb/${database}/tile/8/0/000.p/1`]: Buffer.from([0, 255, 1, 254]),
  };

  it('is reached through the first upstream that passes it on', async () => {
    const first = await remote();
    const second = await remote({ remoteRepositoryUrl: `${other.url}/proxy` });
    const virtual = await createVirtual(service, workspace, [first, second], { packageType: 'go' });
    upstream.answer = refusing(404);
    other.answer = proxying(documents);
    for (const path of Object.keys(documents)) expect(stateOf(await get(virtual, path))).toEqual([200, 'miss']);
    const path = `/go/${workspace.name}/${virtual.name}/sumdb/${database}/tile/8/0/000.p/1`;
    const tile = await fetchChecked(getGoFile, service.runner.url + path, { Authorization: as });
    expect(Buffer.from(await tile.arrayBuffer())).toEqual(Buffer.from([0, 255, 1, 254]));
    expect(asked(other)).toEqual(Object.keys(documents));
  });

  itAnswers('404 FILE_NOT_FOUND where no upstream passes it on', async () => {
    const repository = await remote();
    const local = await service.world.repository(workspace, undefined, 'go');
    return [await get(repository, `sumdb/${database}/supported`), await get(local, `sumdb/${database}/supported`)];
  });

  itAnswers(
    '404 FILE_NOT_FOUND for a module that is held locally or blocked, which no upstream learns of',
    async () => {
      const local = await service.world.repository(workspace, undefined, 'go');
      await putModule(service, placeOf(local), { name, version: 'v1.0.0' });
      const virtual = await virtualOf([local, await remote()], { allow: [], block: ['blocked.example/*'] });
      upstream.answer = proxying(documents);
      const answers = [
        await get(virtual, `sumdb/${database}/lookup/${name}@v1.0.0`),
        await get(virtual, `sumdb/${database}/lookup/blocked.example/x@v1.0.0`),
      ];
      expect(asked()).toEqual([]);
      expect((await get(virtual, `sumdb/${database}/supported`)).status).toBe(200);
      return answers;
    },
  );
});

describe('GET /go/{workspace}/{repository}/{path+} of a virtual repository', () => {
  const held = async (module: string, version = 'v1.0.0') => {
    const local = await service.world.repository(workspace, undefined, 'go');
    expect((await putModule(service, placeOf(local), { name: module, version })).status).toBe(201);
    return local;
  };

  it('never asks an upstream for a module that a local child holds, or that is blocked', async () => {
    const local = await held(name);
    const virtual = await virtualOf([await remote(), local], { allow: [], block: ['corp.example/blocked*'] });
    upstream.answer = proxying({ [`${name}/@v/list`]: 'v1.9.0\n' });
    const files = [
      '@v/list',
      '@latest',
      '@v/v1.0.0.info',
      '@v/v1.0.0.mod',
      '@v/v1.0.0.zip',
      '@v/v1.9.0.info',
      '@v/master.info',
    ];
    const statuses: number[] = [];
    for (const file of files) statuses.push((await get(virtual, `${name}/${file}`)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 404, 404]);
    for (const file of files) expect((await get(virtual, `corp.example/blocked/${file}`)).status).toBe(404);
    expect(asked()).toEqual([]);
  });

  it('merges an allowed module: the versions of all children, the files and the latest version of the first one', async () => {
    const module = `corp.example/${uniqueName('allowed')}`;
    const local = await held(module);
    await putModule(service, placeOf(local), { name: module, version: 'v1.5.0' });
    const theirs = await remote();
    const rules = { allow: [module], block: [] };
    const [localFirst, remoteFirst] = [
      await virtualOf([local, theirs], rules),
      await virtualOf([theirs, local], rules),
    ];
    upstream.answer = proxying({
      [`${module}/@v/list`]: 'v1.0.0\nv1.9.0\n',
      [`${module}/@v/v1.0.0.info`]: infoOf('v1.0.0'),
      [`${module}/@v/v1.9.0.info`]: infoOf('v1.9.0'),
      [`${module}/@v/v1.0.0.mod`]: 'module theirs\n',
      [`${module}/@latest`]: infoOf('v1.9.0'),
    });
    const textsOf = async (virtual: Named) =>
      Promise.all(
        ['@v/list', '@v/v1.9.0.info', '@v/v1.0.0.mod'].map(
          async (file) => (await get(virtual, `${module}/${file}`)).text,
        ),
      );
    expect(await textsOf(localFirst)).toEqual(['v1.0.0\nv1.5.0\nv1.9.0\n', infoOf('v1.9.0'), `module ${module}\n`]);
    expect(await textsOf(remoteFirst)).toEqual(['v1.0.0\nv1.9.0\nv1.5.0\n', infoOf('v1.9.0'), 'module theirs\n']);
    const originsOf = async (path: string) =>
      Promise.all(
        [localFirst, remoteFirst].map(
          async (virtual) => (await get(virtual, `${module}/${path}`)).headers['x-stockroom-origin'],
        ),
      );
    expect(await originsOf('@v/v1.0.0.info')).toEqual([local.name, theirs.name]);
    expect(JSON.parse((await get(localFirst, `${module}/@latest`)).text)).toMatchObject({ Version: 'v1.5.0' });
    expect(JSON.parse((await get(remoteFirst, `${module}/@latest`)).text)).toMatchObject({ Version: 'v1.9.0' });
    // Only the local child has it, behind an upstream that does not.
    expect((await get(remoteFirst, `${module}/@v/v1.5.0.info`)).status).toBe(200);
  });

  it('leaves out an upstream that fails', async () => {
    const module = `corp.example/${uniqueName('half')}`;
    const [failing, working] = [await remote(), await remote({ remoteRepositoryUrl: `${other.url}/proxy` })];
    const virtual = await createVirtual(service, workspace, [failing, working], { packageType: 'go' });
    upstream.answer = refusing(500);
    other.answer = proxying({ [`${module}/@v/list`]: 'v1.0.0\n' });
    const { text, headers } = await get(virtual, `${module}/@v/list`);
    expect([text, headers.warning]).toEqual(['v1.0.0\n', `199 - "The upstream of ${failing.name} failed"`]);
  });
});
