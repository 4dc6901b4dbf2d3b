import { getNpmDocument } from '../../../functions/npm/contracts.ts';
import { listDownloads } from '../../../functions/packages/contracts.ts';
import { sampledGates } from '../../gates/all.ts';
import { askIn, type GatedType, newName } from '../../gates/gated-type.ts';
import { npmGate } from '../../gates/npm.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useRemotes } from '../../harness/remote-repositories.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import type { Actor, Named } from '../../harness/world.ts';

const { service, upstream, setting } = useRemotes();

const ask = askIn(service, setting);
const npm = npmGate({ upstream, ask });

const remote = async ({ type, urlPath = '' }: GatedType): Promise<Named> =>
  createRemote(service, setting.workspace, { packageType: type, remoteRepositoryUrl: upstream.url + urlPath });

const asked = (packageName: string, version: string, query: object = {}, packageType = 'npm') => ({
  params: { workspace: setting.workspace.id },
  query: { packageType, packageName, version, ...query } as never,
  as: setting.admin.bearer,
});

const page = async (...of: Parameters<typeof asked>) => service.client.succeed(listDownloads, asked(...of));

const downloadsOf = async (...of: Parameters<typeof asked>) => (await page(...of)).downloads;

const published = (each: GatedType): string => {
  const name = (each.newName ?? newName)();
  upstream.answer = each.answer(name, { '1.0.0': 100, '1.1.0': 100 });
  return name;
};

const [tarball, otherTarball] = ['1.0.0', '1.1.0'].map(
  (version) => (name: string) => npm.files(name, version)[0] ?? '',
);

describe('Who fetched a version', () => {
  it('is told by the log: when, what, from where, who and by which token, also through a virtual repository', async () => {
    const name = published(npm);
    const repository = await remote(npm);
    const virtual = await createVirtual(service, setting.workspace, [repository]);
    const before = Date.now();
    const get = (from: Named, as: Actor, path = tarball?.(name)) =>
      service.client.sendTo(getNpmDocument, {
        path: `/npm/${setting.workspace.name}/${from.name}/${path}`,
        headers: [['Authorization', as.bearer]],
      });
    const viewer = await service.world.member(setting.workspace);
    await service.world.grant(setting.workspace, virtual, viewer, 'canView');
    await get(repository, setting.admin);
    await get(virtual, viewer);
    await get(repository, setting.admin, otherTarball?.(name));
    await get(repository, setting.admin, name);
    await ask(npm.file, 'npm', repository, tarball?.(name) ?? '', {}, 'HEAD');
    const downloads = await downloadsOf(name, '1.0.0');
    const expected = [
      [repository, setting.admin],
      [virtual, viewer],
    ] as const;
    expect(downloads).toMatchObject(
      expected.map(([from, { userId, username, tokenId }]) => ({
        path: `/npm/${setting.workspace.name}/${from.name}/${tarball?.(name)}`,
        principalId: userId,
        username,
        tokenId,
        sourceAddress: expect.stringMatching(/^[\d.:a-f]+$/),
      })),
    );
    for (const { downloadedAt } of downloads) expect(Date.parse(downloadedAt)).toBeGreaterThanOrEqual(before - 1);
    expect(await downloadsOf(name, '1.1.0')).toHaveLength(1);
    expect(await downloadsOf(name, '9.0.0')).toEqual([]);
  });

  it('is told for the time that is asked for', async () => {
    const name = published(npm);
    await ask(npm.file, 'npm', await remote(npm), tarball?.(name) ?? '');
    const [soon, past] = [60_000, -60_000].map((span) => new Date(Date.now() + span).toISOString());
    const count = async (query: object) => (await downloadsOf(name, '1.0.0', query)).length;
    expect([await count({ since: past }), await count({ since: soon }), await count({ until: past })]).toEqual([
      1, 0, 0,
    ]);
  });

  it('is told page by page, each download once', async () => {
    const name = published(npm);
    const repository = await remote(npm);
    for (let times = 0; times < 5; times += 1) await ask(npm.file, 'npm', repository, tarball?.(name) ?? '');
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { downloads, nextCursor }: Awaited<ReturnType<typeof page>> = await page(name, '1.0.0', {
        limit: 2,
        ...(cursor !== null && { cursor }),
      });
      expect(downloads.length).toBeLessThanOrEqual(2);
      seen.push(...downloads.map(({ requestId }) => requestId));
      cursor = nextCursor;
    } while (cursor !== null);
    expect([seen.length, new Set(seen).size]).toEqual([5, 5]);
  });

  it('is told of the own workspace alone', async () => {
    const name = published(npm);
    await ask(npm.file, 'npm', await remote(npm), tarball?.(name) ?? '');
    const other = await service.world.workspace();
    const admin = await service.world.member(other, 'admin');
    const { downloads } = await service.client.succeed(listDownloads, {
      ...asked(name, '1.0.0'),
      params: { workspace: other.id },
      as: admin.bearer,
    });
    expect(downloads).toEqual([]);
    expect(await downloadsOf(name, '1.0.0')).toHaveLength(1);
  });

  itAnswers('400 REQUEST_INVALID for a time in another form, and for one that does not exist', async () => {
    const times = ['yesterday', '', '2026', '2026-01-31', '2026-13-45T99:00:00Z', '2026-02-30T00:00:00Z'];
    const answers = [];
    for (const time of times)
      answers.push(await service.client.attempt(listDownloads, asked('a', '1.0.0', { since: time, until: time })));
    const sentence = 'must be an RFC 3339 date and time such as 2026-01-31T09:30:00Z.';
    for (const { problem } of answers)
      expect(problem?.errors).toEqual(['since', 'until'].map((name) => `The query parameter ${name} ${sentence}`));
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for a version of Conan without a revision, which no file has', async () => {
    const refused = [];
    for (const version of ['1.0', '1.0@_/_', '1.0@acme/stable'])
      refused.push(await service.client.attempt(listDownloads, asked('evil', version, {}, 'conan')));
    for (const { text } of refused) expect(text).toContain('ask for each of those that the list of versions has');
    for (const version of ['1.0#a', '1.0@_/_#a', '1.0@acme/stable#a:b#c'])
      expect(await downloadsOf('evil', version, {}, 'conan')).toEqual([]);
    return refused;
  });

  itAnswers('400 REQUEST_INVALID to the cursor of another version', async () => {
    const name = published(npm);
    const repository = await remote(npm);
    for (let times = 0; times < 2; times += 1) await ask(npm.file, 'npm', repository, tarball?.(name) ?? '');
    const { nextCursor: cursor } = await page(name, '1.0.0', { limit: 1 });
    return service.client.attempt(listDownloads, asked(name, '1.1.0', { cursor }));
  });

  itAnswers('403 FORBIDDEN to a member', async () => {
    const member = await service.world.member(setting.workspace);
    return service.client.attempt(listDownloads, { ...asked('axios', '1.0.0'), as: member.bearer });
  });
});

describe.each(sampledGates({ upstream, ask }))('Who fetched a version of $type', (each) => {
  it('is told by its spelling in the list of versions', async () => {
    const name = published(each);
    const repository = await remote(each);
    const [path = ''] = each.files(name, '1.0.0');
    const { status } = await ask(each.file, each.type, repository, path);
    expect(status).toBeLessThan(400);
    const version = each.versionOf?.('1.0.0') ?? '1.0.0';
    const downloads = await downloadsOf(name, version, {}, each.type);
    expect(downloads).toHaveLength(1);
    expect(downloads).toMatchObject([{ username: setting.admin.username, path: expect.stringContaining(path) }]);
  });
});
