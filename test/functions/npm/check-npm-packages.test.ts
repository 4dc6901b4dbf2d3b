import type { RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { checkNpmPackages } from '../../../functions/npm/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { advisoryFeedKey } from '../../../shared/table/repositories/advisory-keys.ts';
import { advisory, storeAdvisories } from '../../gates/stored-advisories.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { packumentOf, useNpmRepository } from '../../harness/npm.ts';
import { NpmClient } from '../../harness/npm-client.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { useUpstream } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
const upstream = useUpstream();
const npm = useNpmRepository(service);

const bulk = '-/npm/v1/security/advisories/bulk';
const quick = '-/npm/v1/security/audits/quick';
const advisories = { axios: [{ id: 1, title: 'Hijacked', severity: 'critical', vulnerable_versions: '1.14.1' }] };

/** What the upstream was asked, as it arrived. */
let questions: { readonly method: string | undefined; readonly url: string | undefined; readonly body: unknown }[];
beforeEach(() => {
  questions = [];
});

const answering = (answer: unknown): RequestListener => {
  const answered = async (...[request, response]: Parameters<RequestListener>): Promise<void> => {
    const { method, url } = request;
    questions.push({ method, url, body: JSON.parse((await buffer(request)).toString()) });
    response.end(JSON.stringify(answer));
  };
  return (request, response) => void answered(request, response);
};

const remote = async (): Promise<Named> =>
  createRemote(service, npm.setting.workspace, { remoteRepositoryUrl: `${upstream.url}/registry` });

const send = async (repository: Named, body: unknown, path = bulk) =>
  npm.send(checkNpmPackages, path, { repository, body });

const zipped = async (repository: Named, bytes: Uint8Array) =>
  npm.send(checkNpmPackages, bulk, { repository, body: bytes, headers: { 'Content-Encoding': 'gzip' } });

describe('POST /npm/{workspace}/{repository}/-/npm/v1/security', () => {
  itAnswers('200 with the advisories of the upstream, for a body as npm compresses it', async () => {
    upstream.answer = answering(advisories);
    const body = { axios: ['1.14.1'] };
    const answer = await zipped(await remote(), gzipSync(JSON.stringify(body)));
    expect(JSON.parse(answer.text)).toEqual(advisories);
    expect(questions).toEqual([{ method: 'POST', url: `/registry/${bulk}`, body }]);
    return answer;
  });

  it('tells the upstream no name that a local repository holds, or that no upstream may be asked for', async () => {
    upstream.answer = answering({});
    const own = await npm.publish();
    const virtual = await createVirtual(service, npm.setting.workspace, [npm.setting.repository, await remote()]);
    await send(virtual, { [own]: ['1.0.0'], axios: ['1.14.1'] });
    const nested = {
      version: '1.0.0',
      requires: { [own]: '1', axios: '1' },
      dependencies: { [own]: { version: '1.0.0' } },
    };
    const project = {
      name: 'our-product',
      version: '3.0.0',
      requires: { [own]: '1', axios: '1' },
      dependencies: { [own]: nested, axios: nested },
    };
    await send(virtual, project, quick);
    expect(questions.map(({ body }) => body)).toEqual([
      { axios: ['1.14.1'] },
      {
        requires: { axios: '1' },
        dependencies: { axios: { version: '1.0.0', requires: { axios: '1' }, dependencies: {} } },
      },
    ]);
    expect(JSON.stringify(questions)).not.toContain(own);
  });

  it('tells the upstream such a name in no other member of the older form, nor where packages come from', async () => {
    upstream.answer = answering({});
    const own = await npm.publish();
    const children = [npm.setting.repository, await remote()];
    const virtual = await createVirtual(service, npm.setting.workspace, children);
    const params = { workspace: npm.setting.workspace.id, repository: virtual.id };
    const body = { upstreamNames: { block: ['@acme/*'] } };
    await service.client.succeed(updateRepository, { params, body, as: npm.setting.admin.bearer });
    const metadata = { npm_version: '6.14.18', node_version: 'v14.21.3', platform: 'linux' };
    const resolved = 'https://stockroom.internal/npm/acme/own/@acme/secret/-/secret-1.0.0.tgz';
    const facts = { integrity: 'sha512-QUJD', dev: true, optional: true, bundled: true };
    const project = {
      install: ['@acme/secret@1.0.0', `${own}@1.0.0`],
      remove: ['@acme/old'],
      metadata: { ...metadata, branch: '@acme/secret' },
      diffs: { add: [{ location: '/@acme/secret' }] },
      requires: {
        y: 'npm:@acme/z@1',
        z: `npm:${own}`,
        old: 'npm:axios@^1.0.0',
        ui: 'git+ssh://git.acme.dev/secret',
        q: '>=1 <2 || next',
      },
      dependencies: {
        x: { version: 'npm:@acme/secret@1.0.0', resolved, requires: { y: 'npm:@acme/z@1' } },
        z: { version: `npm:${own}@1.0.0` },
        old: {
          version: 'npm:axios@1.14.1',
          ...facts,
          from: '@acme/secret',
          resolved,
          requires: { y: 'npm:@acme/z@1' },
        },
        ui: { version: 'git+ssh://git.acme.dev/secret#0a1b', dependencies: { y: { version: 'npm:@acme/z@1.0.0' } } },
        text: '@acme/secret',
      },
    };
    await send(virtual, project, quick);
    await send(virtual, { axios: ['1.14.1', 'npm:@acme/secret@1.0.0'], q: { '@acme/secret': '1.0.0' } });
    expect(questions.map((question) => question.body)).toEqual([
      {
        install: [],
        remove: [],
        metadata,
        requires: { old: 'npm:axios@^1.0.0', ui: 'file:', q: '>=1 <2 || next' },
        dependencies: {
          old: { version: 'npm:axios@1.14.1', ...facts, requires: {} },
          ui: { version: 'file:', dependencies: {} },
        },
      },
      { axios: ['1.14.1'], q: [] },
    ]);
  });

  it('asks nobody about nothing', async () => {
    upstream.answer = answering(advisories);
    const own = await npm.publish();
    const virtual = await createVirtual(service, npm.setting.workspace, [npm.setting.repository, await remote()]);
    expect(JSON.parse((await send(virtual, { [own]: ['1.0.0'] })).text)).toEqual({});
    expect(JSON.parse((await send(npm.setting.repository, { axios: ['1.14.1'] })).text)).toEqual({});
    expect(JSON.parse((await send(npm.setting.repository, { requires: {} }, quick)).text)).toMatchObject({
      advisories: {},
      metadata: { vulnerabilities: { critical: 0 } },
    });
    expect(questions).toEqual([]);
  });

  it('is what `npm audit` of a project reads', async () => {
    upstream.answer = (request, response) => {
      if (request.method === 'POST') answering(advisories)(request, response);
      else response.end(JSON.stringify(packumentOf(upstream.url, 'axios', { '1.14.0': {}, '1.14.1': {} })));
    };
    const own = await npm.publish();
    const virtual = await createVirtual(service, npm.setting.workspace, [npm.setting.repository, await remote()]);
    const dependencies = { axios: '1.14.1', [own]: '1.0.0' };
    const manifest = { name: 'our-product', version: '1.0.0' };
    const packages = {
      '': { ...manifest, dependencies },
      'node_modules/axios': { version: '1.14.1' },
      [`node_modules/${own}`]: { version: '1.0.0' },
    };
    const lock = JSON.stringify({ ...manifest, lockfileVersion: 3, packages });
    const client = new NpmClient();
    const project = client.project({ ...manifest, dependencies }, { 'package-lock.json': lock });
    const registry = { url: npm.urlOf('', virtual), token: npm.setting.admin.bearer.replace('Bearer ', '') };
    const { stdout } = await client.run(project, registry, ['audit', '--json'], { audit: 'true' });
    client.close();
    expect(JSON.parse(stdout)).toMatchObject({ vulnerabilities: { axios: { severity: 'critical' } } });
    expect(questions.map(({ body }) => body)).toEqual([{ axios: ['1.14.1'] }]);
  }, 30_000);

  itAnswers(
    '504 UPSTREAM_TIMEOUT when the upstream does not answer within five seconds',
    async () => {
      upstream.answer = () => {};
      const startedAt = Date.now();
      const answer = await send(await remote(), { axios: ['1.14.1'] });
      expect(Date.now() - startedAt).toBeLessThan(7_000);
      return answer;
    },
    20_000,
  );
  itAnswers('502 UPSTREAM_FAILED when the upstream leads elsewhere', async () => {
    upstream.answer = (_, response) => response.writeHead(307, { Location: `${upstream.url}/elsewhere` }).end();
    const answer = await send(await remote(), { axios: ['1.14.1'] });
    expect(upstream.requests).toHaveLength(1);
    return answer;
  });
  itAnswers('502 UPSTREAM_FAILED when the upstream sends no JSON', async () => {
    upstream.answer = (_, response) => response.end('<html>');
    return send(await remote(), { axios: ['1.14.1'] });
  });
  itAnswers('404 ROUTE_NOT_FOUND when the upstream answers no audits', async () => {
    upstream.answer = (_, response) => response.writeHead(404).end();
    return send(await remote(), { axios: ['1.14.1'] });
  });
  for (const status of [405, 501])
    itAnswers(`404 ROUTE_NOT_FOUND when the upstream answers POST with ${status}`, async () => {
      upstream.answer = (_, response) => response.writeHead(status).end();
      return send(await remote(), { axios: ['1.14.1'] });
    });
  itAnswers('404 ROUTE_NOT_FOUND at any other path', async () =>
    send(await remote(), {}, '-/npm/v1/security/constructor'),
  );
  itAnswers('400 BODY_MALFORMED when the body is no object', async () => send(await remote(), [1]));
  itAnswers('400 BODY_MALFORMED when the body is not compressed', async () =>
    zipped(await remote(), Buffer.from('{}')),
  );
  itAnswers('413 BODY_TOO_LARGE when the compressed body is too large', async () =>
    zipped(await remote(), gzipSync(Buffer.alloc(50_000_000, ' '))),
  );
  itAnswers('400 REQUEST_INVALID when it is about thousands of packages', async () =>
    send(await remote(), Object.fromEntries(Array.from({ length: 5_001 }, (_, at) => [`p${at}`, ['1.0.0']]))),
  );
});

describe('An audit where advisories were imported', () => {
  const importedAt = async (time: string | undefined): Promise<void> => {
    const feed = { packageType: 'npm', running: '', entries: 1, ...(time && { importedAt: time }) };
    await new Table().writeUnrecorded([{ put: { ...advisoryFeedKey('npm'), ...feed } }]);
  };
  beforeEach(async () => importedAt('2026-01-01T00:00:00.000Z'));
  afterEach(async () => importedAt(undefined));

  const ranged = advisory({
    id: 'GHSA-1',
    kind: 'vulnerability',
    severity: 'high',
    summary: 'It leaks',
    ranges: [
      [
        ['fixed', '1.2.0'],
        ['introduced', '0'],
        ['introduced', '2.0.0'],
        ['last_affected', '2.1.0'],
      ],
    ],
  });

  it('is answered by them in the form of the registry, and nobody is asked', async () => {
    upstream.answer = answering({});
    const name = uniqueName('package');
    await storeAdvisories('npm', name, [ranged, advisory({ versions: ['1.14.1'] })]);
    const ask = async (...versions: string[]) =>
      JSON.parse((await send(await remote(), { [name]: versions, [uniqueName('other')]: ['1.0.0'] })).text) as object;
    expect(await ask('1.14.1')).toEqual({
      [name]: [expect.objectContaining({ severity: 'critical', vulnerable_versions: '=1.14.1' })],
    });
    expect(await ask('1.1.0', '2.1.0', '3.0.0')).toEqual({
      [name]: [
        expect.objectContaining({
          id: expect.any(Number),
          url: 'https://osv.dev/vulnerability/GHSA-1',
          title: 'It leaks',
          severity: 'high',
          vulnerable_versions: '>=0.0.0-0 <1.2.0 || >=2.0.0 <=2.1.0',
        }),
      ],
    });
    expect(await ask('1.2.0', '2.1.1')).toEqual({});
    expect(questions).toEqual([]);
  });

  it('says nothing of names that local repositories hold, and asks the upstream in the older form', async () => {
    upstream.answer = answering({ advisories: {} });
    const own = await npm.publish();
    await storeAdvisories('npm', own, [advisory()]);
    const virtual = await createVirtual(service, npm.setting.workspace, [npm.setting.repository, await remote()]);
    expect(JSON.parse((await send(virtual, { [own]: ['1.0.0'] })).text)).toEqual({});
    await send(virtual, { requires: { axios: '1' }, dependencies: {} }, quick);
    expect(questions.map(({ url }) => url)).toEqual([`/registry/${quick}`]);
  });
});
