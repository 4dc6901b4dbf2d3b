import { getNpmDocument } from '../../../functions/npm/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { deleteVerdict, updateVerdict } from '../../../functions/verdicts/contracts.ts';
import type { Answer } from '../../harness/client.ts';
import { abbreviatedType, packumentOf, upstreamTarballOf, useNpmRepository } from '../../harness/npm.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { roundsOf } from '../../harness/sampling.ts';
import { useService } from '../../harness/service.ts';
import { useUpstream } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
const upstream = useUpstream();
const npm = useNpmRepository(service);

const versions = ['1.0.0', '1.1.0'];
const now = new Date().toISOString();

/** A package with a version of last year and one of now. */
const published = (name: string): void => {
  upstream.answer = ({ url = '', headers }, response) => {
    const isFull = !headers.accept?.includes(abbreviatedType);
    const packument = {
      ...packumentOf(upstream.url, name, { '1.0.0': {}, '1.1.0': {} }, isFull),
      ...(isFull ? { time: { '1.0.0': '2025-01-01T00:00:00.000Z', '1.1.0': now } } : { modified: now }),
    };
    const [, version = ''] = /-(\d+\.\d+\.\d+)\.tgz$/.exec(url) ?? [];
    response.end(version ? upstreamTarballOf(name, version) : JSON.stringify(packument));
  };
};

type Gate = NonNullable<Parameters<typeof createRemote>[2]>['releaseGate'];

const remote = async (releaseGate: Gate = null): Promise<Named> =>
  createRemote(service, npm.setting.workspace, { remoteRepositoryUrl: upstream.url, releaseGate });

const onName = (name: string) => ({
  params: { workspace: npm.setting.workspace.id, packageType: 'npm', package: name },
  as: npm.setting.admin.bearer,
});

const put = async (
  name: string,
  verdict: 'block' | 'allow',
  about = ['1.1.0'],
  expiresAt?: string,
  reason = 'Hijacked: it steals',
) =>
  service.client.succeed(updateVerdict, {
    ...onName(name),
    body: { verdict, versions: about, reason, ...(expiresAt !== undefined && { expiresAt }) },
  });

const short = { Accept: abbreviatedType };

const packument = async (repository: Named, name: string, headers: Record<string, string> = {}): Promise<Answer> =>
  npm.send(getNpmDocument, name, { repository, headers });

const listed = async (repository: Named, name: string): Promise<readonly (readonly string[])[]> => {
  const answers = [await packument(repository, name), await packument(repository, name, short)];
  return answers.map(({ text }) => Object.keys((JSON.parse(text) as { versions: object }).versions));
};

const tarball = async (repository: Named, name: string, version: string): Promise<Answer> =>
  npm.send(getNpmDocument, `${name}/-/${name}-${version}.tgz`, { repository });

describe('A version that a verdict blocks', () => {
  it('is in no form of an index and no file of it is served, without a gate and also through a virtual repository', async () => {
    const name = uniqueName('package');
    published(name);
    const repository = await remote();
    const virtual = await createVirtual(service, npm.setting.workspace, [repository]);
    for (const each of [repository, virtual]) {
      expect(await listed(each, name)).toEqual([versions, versions]);
      expect((await tarball(each, name, '1.1.0')).status).toBe(200);
    }
    await put(name, 'block');
    for (const each of [repository, virtual]) {
      expect(await listed(each, name)).toEqual([['1.0.0'], ['1.0.0']]);
      expect((await tarball(each, name, '1.0.0')).status).toBe(200);
      const refused = [
        await tarball(each, name, '1.1.0'),
        await npm.send(getNpmDocument, `${name}/1.1.0`, { repository: each }),
      ];
      for (const { status, code, problem } of refused) {
        expect([status, code]).toEqual([403, 'VERSION_BLOCKED']);
        expect(problem?.detail).toContain(
          `${name} 1.1.0 is blocked: the verdict on '${name}' says: Hijacked: it steals.`,
        );
      }
    }
    await service.client.succeed(deleteVerdict, onName(name));
    for (const each of [repository, virtual]) {
      expect(await listed(each, name)).toEqual([versions, versions]);
      expect((await tarball(each, name, '1.1.0')).status).toBe(200);
    }
  });

  it('is told of in one sentence, also if the reason ends as one', async () => {
    const name = uniqueName('package');
    published(name);
    const repository = await remote();
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const sentence = `${name} 1.1.0 is blocked: the verdict on '${name}' says: Hijacked: it steals`;
    for (const [end, until] of [
      [undefined, ''],
      [expiresAt, `, until ${expiresAt}`],
    ] as const) {
      await put(name, 'block', ['1.1.0'], end, 'Hijacked: it steals.');
      const { problem } = await tarball(repository, name, '1.1.0');
      expect(problem?.detail).toContain(`${sentence}${until}. Use another version`);
    }
  });

  it('is not asked for at the upstream', async () => {
    const name = uniqueName('package');
    published(name);
    await put(name, 'block', ['*']);
    expect((await tarball(await remote(), name, '1.0.0')).status).toBe(403);
    expect(upstream.requests).toEqual([]);
  });

  it('is blocked where a gate only observes, and where it exempts the name', async () => {
    const name = uniqueName('package');
    published(name);
    await put(name, 'block');
    for (const gate of [{ mode: 'observe' as const }, { exempt: [name] }]) {
      const repository = await remote(gate);
      expect(await listed(repository, name)).toEqual([['1.0.0'], ['1.0.0']]);
      expect((await tarball(repository, name, '1.1.0')).code).toBe('VERSION_BLOCKED');
    }
  });

  it('passes again when the verdict ends, which a refusal says', async () => {
    const name = uniqueName('package');
    published(name);
    const repository = await remote();
    const end = new Date(Date.now() + 2_000).toISOString();
    await put(name, 'block', ['1.1.0'], end);
    const refused = await tarball(repository, name, '1.1.0');
    expect([refused.status, refused.headers['x-stockroom-held-until']]).toEqual([403, end]);
    await new Promise((resolve) => setTimeout(resolve, Date.parse(end) - Date.now() + 5));
    expect((await tarball(repository, name, '1.1.0')).status).toBe(200);
    expect(await listed(repository, name)).toEqual([versions, versions]);
  });

  it('changes the ETag of the packument exactly while it is missing', async () => {
    const name = uniqueName('package');
    published(name);
    const repository = await remote();
    const before = (await packument(repository, name)).headers.etag;
    await put(uniqueName('other'), 'block');
    expect((await packument(repository, name)).headers.etag).toBe(before);
    await put(name, 'block');
    const { headers } = await packument(repository, name);
    expect(headers.etag).not.toBe(before);
    expect(headers['cache-control']).toBe('no-store');
    await service.client.succeed(deleteVerdict, onName(name));
    expect((await packument(repository, name)).headers.etag).toBe(before);
  });
});

describe('A version that a verdict allows', () => {
  it('passes the gate that held it back, also for an exact name and the beginning of names', async () => {
    const name = uniqueName('package');
    published(name);
    const repository = await remote({ minimumAgeHours: 72 });
    for (const [entry, about] of [
      [name, ['1.1.0']],
      [name, ['*']],
      [`${name.slice(0, -1)}*`, ['*']],
    ] as const) {
      expect(await listed(repository, name)).toEqual([['1.0.0'], ['1.0.0']]);
      expect((await tarball(repository, name, '1.1.0')).code).toBe('VERSION_HELD');
      await put(entry, 'allow', [...about]);
      expect(await listed(repository, name)).toEqual([versions, versions]);
      expect((await tarball(repository, name, '1.1.0')).status).toBe(200);
      await service.client.succeed(deleteVerdict, onName(entry));
    }
  });

  it('is served from the cache, although its upstream withdrew it', async () => {
    const name = uniqueName('package');
    published(name);
    const repository = await remote();
    expect((await tarball(repository, name, '1.0.0')).status).toBe(200);
    upstream.answer = (_request, response) => void response.writeHead(404).end();
    await service.client.succeed(updateRepository, {
      params: { workspace: npm.setting.workspace.id, repository: repository.id },
      body: { releaseGate: { minimumAgeHours: 72 }, metadataCacheTimeTillRevalidation: 0 },
      as: npm.setting.admin.bearer,
    });
    expect((await tarball(repository, name, '1.0.0')).code).toBe('VERSION_HELD');
    await put(name, 'allow', ['1.0.0']);
    expect((await tarball(repository, name, '1.0.0')).status).toBe(200);
  });
});

const rounds = Number(process.env.VERDICT_ROUNDS ?? roundsOf(10));

describe('A verdict', () => {
  it('bites on the next request, whatever is read at the same time', async () => {
    const name = uniqueName('package');
    published(name);
    const repository = await remote();
    const readers = async () => Promise.all(Array.from({ length: 3 }, () => packument(repository, name, short)));
    for (let round = 0; round < rounds; round += 1) {
      const reading = readers();
      await put(name, 'block');
      expect((await tarball(repository, name, '1.1.0')).code).toBe('VERSION_BLOCKED');
      expect((await listed(repository, name))[1]).toEqual(['1.0.0']);
      await service.client.succeed(deleteVerdict, onName(name));
      expect((await tarball(repository, name, '1.1.0')).status).toBe(200);
      await reading;
    }
  });
});
