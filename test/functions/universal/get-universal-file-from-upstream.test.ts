import { randomBytes } from 'node:crypto';
import { createLocalRepository, updateRepository } from '../../../functions/repositories/contracts.ts';
import { getUniversalFile, publishUniversalFile } from '../../../functions/universal/contracts.ts';
import { updateVerdict } from '../../../functions/verdicts/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import { type Actor, type Named, newPassword, uniqueName } from '../../harness/world.ts';

const service = useService();
const upstream = useUpstream();
let workspace: Named;
let admin: Actor;

beforeAll(async () => {
  workspace = await service.world.workspace();
  admin = await service.world.systemAdmin();
});

const file = 'tools/formatter/1.0.0/formatter.bin';

const remote = async (fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> => {
  const remoteRepositoryUrl = `${upstream.url}/files/{package-name}/{version}/{file}`;
  return createRemote(service, workspace, { packageType: 'universal', remoteRepositoryUrl, ...fields });
};

const get = async (repository: Named, path = file, method: 'GET' | 'HEAD' = 'GET') =>
  service.client.sendTo(getUniversalFile, {
    method,
    path: `/universal/${workspace.name}/${repository.name}/${path}`,
    headers: [['Authorization', admin.bearer]],
  });

const cacheOf = ({ status, headers }: Awaited<ReturnType<typeof get>>) => [
  status,
  headers['x-stockroom-cache'],
  headers.warning,
];

const tomorrow = 24 * 60 * 60 * 1000;

describe('GET /universal/{workspace}/{repository}/{path+} of a remote repository', () => {
  itAnswers('200 with the file of the upstream, and says where it is from', async () => {
    const repository = await remote();
    upstream.answer = serving('the file');
    const answer = await get(repository);
    expect([answer.text, answer.headers['x-stockroom-origin'], ...cacheOf(answer)]).toEqual([
      'the file',
      repository.name,
      200,
      'miss',
      undefined,
    ]);
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/files/tools/formatter/1.0.0/formatter.bin']);
    expect(cacheOf(await get(repository))).toEqual([200, 'hit', undefined]);
    return answer;
  });

  it('sends a large file by a redirect, the first time too', async () => {
    const repository = await remote();
    const bytes = randomBytes(20 * 1024 * 1024);
    upstream.answer = serving(bytes);
    for (const cache of ['miss', 'hit']) {
      const { status, headers } = await get(repository);
      expect([status, headers['x-stockroom-cache']]).toEqual([302, cache]);
      const content = Buffer.from(await (await fetch(String(headers.location))).arrayBuffer());
      expect(content.equals(bytes)).toBe(true);
    }
  });

  it('answers HEAD as if the file were here', async () => {
    const repository = await remote();
    upstream.answer = serving('the file');
    const { status, headers } = await get(repository, file, 'HEAD');
    expect([status, headers['content-length'], headers['x-stockroom-cache']]).toEqual([200, '8', 'miss']);
  });

  it('asks again once the time is over, and says what came of it', async () => {
    const repository = await remote({ fileCacheTimeTillRevalidation: 1 });
    upstream.answer = serving('the file', { ETag: '"one"' });
    await get(repository);
    expect(cacheOf(await get(repository))).toEqual([200, 'revalidated', undefined]);
    upstream.answer = refusing(500);
    const stale = await get(repository);
    expect([stale.text, ...cacheOf(stale)]).toEqual(['the file', 200, 'stale', '110 - "Response is Stale"']);
  });

  itAnswers('404 FILE_NOT_FOUND for what the upstream does not have, and remembers it', async () => {
    const repository = await remote();
    const answers = [await get(repository), await get(repository)];
    expect(upstream.requests).toHaveLength(1);
    return answers;
  });

  itAnswers('502 UPSTREAM_FAILED for an upstream that fails, with its host and its status', async () => {
    const repository = await remote();
    upstream.answer = refusing(503);
    const answer = await get(repository);
    expect(answer.text).toContain(`${upstream.host} gave no usable answer (HTTP 503).`);
    const lines = service.logs.filter((line) => line.includes(upstream.host) && line.includes('(HTTP 503)'));
    expect(lines).toHaveLength(1);
    return answer;
  });

  itAnswers('504 UPSTREAM_TIMEOUT for an upstream that does not answer', async () => {
    const repository = await remote();
    upstream.answer = () => {};
    return get(repository);
  });

  it('keeps nothing where caching is off', async () => {
    const repository = await remote({ isRemoteCacheEnabled: false });
    upstream.answer = serving('the file');
    expect(cacheOf(await get(repository))).toEqual([200, 'miss', undefined]);
    upstream.answer = refusing(404);
    expect((await get(repository)).status).toBe(404);
    upstream.answer = serving('another');
    expect((await get(repository)).text).toBe('another');
  });

  it('proves itself at the upstream, and nowhere that the upstream leads to', async () => {
    const password = newPassword();
    const repository = await remote({ remoteRepositoryUsername: 'ci', remoteRepositoryPassword: password });
    // A redirect to another port would be refused, so the upstream answers under another name.
    upstream.answer = (request, response) => {
      if (request.headers.host === upstream.host)
        response.writeHead(302, { Location: `http://localhost:${new URL(upstream.url).port}/elsewhere` }).end();
      else serving('the file')(request, response);
    };
    const { status, text } = await get(repository);
    expect([status, text]).toEqual([200, 'the file']);
    const basic = `Basic ${Buffer.from(`ci:${password}`).toString('base64')}`;
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([basic, undefined]);
  });

  it('proves itself by a new password at once', async () => {
    const [before, after] = [newPassword(), newPassword()];
    const repository = await remote({
      remoteRepositoryUsername: 'ci',
      remoteRepositoryPassword: before,
      isRemoteCacheEnabled: false,
    });
    upstream.answer = serving('the file');
    await get(repository);
    await service.client.succeed(updateRepository, {
      params: { workspace: workspace.id, repository: repository.id },
      body: { remoteRepositoryPassword: after },
      as: admin.bearer,
    });
    await get(repository);
    const basics = [before, after].map((password) => `Basic ${Buffer.from(`ci:${password}`).toString('base64')}`);
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual(basics);
  });
});

describe('GET /universal/{workspace}/{repository}/{path+} of a virtual repository', () => {
  const local = async (): Promise<Named> =>
    service.client.succeed(createLocalRepository, {
      params: { workspace: workspace.id },
      body: { name: uniqueName('local'), packageType: 'universal' },
      as: admin.bearer,
    });

  const publish = async (repository: Named, path: string) => {
    const { status } = await service.client.sendTo(publishUniversalFile, {
      path: `/universal/${workspace.name}/${repository.name}/${path}`,
      headers: [['Authorization', admin.bearer]],
      body: 'ours',
    });
    expect(status).toBe(201);
  };

  it('fetches what no child has, and keeps it in the child that fetched it', async () => {
    const [ours, theirs] = [await local(), await remote({ fileCacheTimeTillRevalidation: tomorrow })];
    const virtual = await createVirtual(service, workspace, [ours, theirs], { packageType: 'universal' });
    upstream.answer = serving('theirs');
    const answer = await get(virtual);
    expect([answer.text, answer.headers['x-stockroom-origin'], ...cacheOf(answer)]).toEqual([
      'theirs',
      theirs.name,
      200,
      'miss',
      undefined,
    ]);
    expect(cacheOf(await get(theirs))).toEqual([200, 'hit', undefined]);
    expect(cacheOf(await get(ours))).toEqual([404, undefined, undefined]);
  });

  it('never asks an upstream for a name that a local child holds', async () => {
    const [ours, theirs] = [await local(), await remote()];
    const virtual = await createVirtual(service, workspace, [theirs, ours], { packageType: 'universal' });
    await publish(ours, file);
    upstream.answer = serving('theirs');
    expect((await get(virtual)).text).toBe('ours');
    expect((await get(virtual, 'tools/formatter/2.0.0/formatter.bin')).status).toBe(404);
    expect(upstream.requests).toEqual([]);
  });

  it('asks an upstream for a held name that is allowed, and for no name that is blocked', async () => {
    const [ours, theirs] = [await local(), await remote()];
    const virtual = await createVirtual(service, workspace, [ours, theirs], { packageType: 'universal' });
    await publish(ours, file);
    const setNames = async (upstreamNames: object) =>
      service.client.succeed(updateRepository, {
        params: { workspace: workspace.id, repository: virtual.id },
        body: { upstreamNames },
        as: admin.bearer,
      });
    upstream.answer = serving('theirs');
    await setNames({ allow: ['tools/*'] });
    expect((await get(virtual)).text).toBe('ours');
    expect((await get(virtual, 'tools/formatter/2.0.0/formatter.bin')).text).toBe('theirs');
    await setNames({ block: ['tools/formatter'] });
    upstream.requests.length = 0;
    expect((await get(virtual, 'tools/formatter/2.0.0/formatter.bin')).status).toBe(404);
    expect((await get(virtual, 'tools/linter/2.0.0/linter.bin')).text).toBe('theirs');
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/files/tools/linter/2.0.0/linter.bin']);
  });

  it('goes on to the next upstream where one has no such file any more', async () => {
    const [first, second] = [
      await remote({ fileCacheTimeTillRevalidation: 1 }),
      await remote({ remoteRepositoryUrl: `${upstream.url}/second/{package-name}/{version}/{file}` }),
    ];
    const virtual = await createVirtual(service, workspace, [first, second], { packageType: 'universal' });
    upstream.answer = serving('the first');
    await get(virtual);
    upstream.answer = (request, response) =>
      (request.url?.startsWith('/second/') ? serving('the second') : refusing(404))(request, response);
    const answer = await get(virtual);
    expect([answer.text, answer.headers['x-stockroom-origin']]).toEqual(['the second', second.name]);
  });
});

describe('A file of a remote repository that a verdict blocks', () => {
  const decide = async (versions: string[], name: string): Promise<void> => {
    const body = { verdict: 'block' as const, versions, reason: 'Hijacked' };
    const params = { workspace: workspace.id, packageType: 'universal', package: name };
    await service.client.succeed(updateVerdict, { params, body, as: admin.bearer });
  };

  itAnswers('403 VERSION_BLOCKED in its version or as the whole package, kept or not', async () => {
    upstream.answer = serving('the file');
    const [kept, passing] = [await remote(), await remote({ isRemoteCacheEnabled: false })];
    const name = `tools/${uniqueName('formatter')}`;
    const paths = ['1.0.0', '1.1.0'].map((version) => `${name}/${version}/formatter.bin`);
    const statuses = async () => {
      const found: number[] = [];
      for (const repository of [kept, passing])
        for (const path of paths) found.push((await get(repository, path)).status);
      return found;
    };
    expect(await statuses()).toEqual(Array(4).fill(200));
    await decide(['1.0.0'], name);
    expect(await statuses()).toEqual([403, 200, 403, 200]);
    await decide(['*'], name);
    expect(await statuses()).toEqual(Array(4).fill(403));
    return get(kept, paths[0]);
  });
});
