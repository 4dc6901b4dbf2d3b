import { getPackageAdvisories } from '../../../functions/advisories/contracts.ts';
import { advisoriesUrlVariable } from '../../../shared/config.ts';
import { stagingObjectKey } from '../../../shared/store/keys.ts';
import { Table } from '../../../shared/table/client.ts';
import { rememberNothing } from '../../../shared/table/creations.ts';
import { takeFeed } from '../../../shared/table/repositories/advisory-feeds.ts';
import { insertImport } from '../../../shared/table/repositories/advisory-imports.ts';
import { advisoryFeedKey } from '../../../shared/table/repositories/advisory-keys.ts';
import { archiveOf, importArchive, osvEntry, type TestEntry, uploadArchive, useImportWorld } from '../../gates/osv.ts';
import { reachingLoopback, useService } from '../../harness/service.ts';
import { Upstream } from '../../harness/upstream.ts';
import { uniqueName } from '../../harness/world.ts';

const osv = new Upstream();
const variables: Record<string, string> = { ...reachingLoopback };
beforeAll(async () => {
  await osv.start();
  variables[advisoriesUrlVariable] = `${osv.url}/mirror`;
});
afterAll(async () => osv.stop());
const service = useService({ environment: variables });

const world = useImportWorld(service);

type Dated = TestEntry & { readonly modified: string };

const lineOf = ({ modified, id }: Dated): string => `${modified},${id}\n`;

/** osv.dev with these entries of npm, in the order in which they are listed. */
const publish = (entries: readonly Dated[], files: Readonly<Record<string, Buffer | string>> = {}): void => {
  const all: Readonly<Record<string, Buffer | string>> = {
    'all.zip': archiveOf(entries),
    'modified_id.csv': entries.map(lineOf).join(''),
    ...Object.fromEntries(entries.map((entry) => [`${entry.id}.json`, JSON.stringify(entry)])),
    ...files,
  };
  osv.requests.length = 0;
  osv.answer = ({ url = '' }, response) => {
    const content = all[url.replace('/mirror/npm/', '')];
    response.writeHead(content === undefined ? 404 : 200).end(content);
  };
};

const asked = (): readonly string[] => osv.requests.map(({ url = '' }) => url.replace('/mirror/npm/', '')).toSorted();

const update = async () => service.runner.invoke('importer', { packageType: 'npm' });

const idsOn = async (name: string): Promise<readonly string[]> => {
  const params = { packageType: 'npm', package: name };
  const { advisories } = await service.client.succeed(getPackageAdvisories, { params, as: world.admin.bearer });
  return advisories.map(({ id }) => id);
};

const feedOf = async () => {
  const key = advisoryFeedKey('npm');
  return (await new Table().read([key])).find(key);
};

const outcome = (): unknown => {
  const lines = service.logs.filter((line) => line.includes('"advisory import"'));
  return (JSON.parse(lines.at(-1) ?? '{}') as { outcome?: unknown }).outcome;
};

const at = (id: string, name: string, modified: string, fields: object = {}): Dated => ({
  ...osvEntry(id, name, fields),
  modified,
});

/** Begins with an archive of one old entry. */
const imported = async () => {
  const name = uniqueName('package');
  const old = at(`MAL-2026-${name}`, name, '2026-01-01T00:00:00Z');
  await new Table().writeUnrecorded([{ remove: advisoryFeedKey('npm') }]);
  publish([old]);
  await update();
  return { name, old };
};

describe('The hourly update of advisories', () => {
  it('imports the archive where nothing was imported yet', async () => {
    const { name, old } = await imported();
    expect(asked()).toEqual(['all.zip']);
    expect([outcome(), await idsOn(name)]).toEqual(['done', [old.id]]);
    expect(await feedOf()).toMatchObject({ running: '', newest: '2026-01-01T00:00:00Z', entries: 1 });
    expect(await feedOf()).not.toHaveProperty('lists');
  });

  it('asks for the entries alone that changed, also for one that was withdrawn', async () => {
    const { name, old } = await imported();
    const other = uniqueName('package');
    const [added, ended] = [
      at('MAL-2026-3', other, '2026-01-03T00:00:00.123456Z'),
      { ...old, modified: '2026-01-02T00:00:00Z', withdrawn: '2026-01-02T00:00:00Z' },
    ];
    publish([added, ended, at('MAL-2025-9', other, '2025-01-01T00:00:00Z')]);
    await update();
    expect(asked()).toEqual(['MAL-2026-3.json', `${old.id}.json`, 'modified_id.csv']);
    expect([outcome(), await idsOn(name), await idsOn(other)]).toEqual(['done', [], ['MAL-2026-3']]);
    const feed = await feedOf();
    expect(feed).toMatchObject({ running: '', entries: 1 });
    expect(Date.parse(feed?.newest ?? '')).toBe(Date.parse(added.modified));
    publish([added, ended]);
    await update();
    expect(asked()).toEqual(['modified_id.csv']);
  });

  it('looks at the six hours before the last change again', async () => {
    const { name, old } = await imported();
    const late = at('MAL-2026-2', name, '2025-12-31T18:00:01Z');
    publish([old, late, at('MAL-2026-4', name, '2025-12-31T18:00:00Z')]);
    await update();
    expect(asked()).toEqual(['MAL-2026-2.json', 'modified_id.csv']);
    expect(await idsOn(name)).toEqual(['MAL-2026-2', old.id]);
  });

  it('imports the archive instead of more than 5,000 changes', async () => {
    const { old } = await imported();
    const line = lineOf({ ...old, modified: '2026-01-05T00:00:00Z' });
    publish([old], { 'modified_id.csv': line.repeat(5_001) });
    await update();
    expect([asked(), outcome()]).toEqual([['all.zip', 'modified_id.csv'], 'done']);
  });

  it('leaves out an entry that cannot be used, and says so in the log', async () => {
    const { name, old } = await imported();
    const [bad, gone, good] = ['MAL-2026-5', 'MAL-2026-6', 'MAL-2026-7'].map((id) =>
      at(id, name, '2026-01-04T00:00:00Z'),
    ) as [Dated, Dated, Dated];
    publish([bad, gone, good, old], { 'MAL-2026-5.json': '<html>' });
    const { answer } = osv;
    osv.answer = (request, response) =>
      request.url?.includes('MAL-2026-6') ? response.writeHead(404).end() : answer(request, response);
    await update();
    expect([outcome(), await idsOn(name)]).toEqual(['done', ['MAL-2026-7', old.id]]);
    expect(service.logs.filter((line) => line.includes('MAL-2026-5.json in the archive is no JSON'))).not.toEqual([]);
  });

  it.each([
    ['a list that is none', { 'modified_id.csv': '<html>maintenance</html>' }],
    ['an ID that is a path', { 'modified_id.csv': '2026-01-09T00:00:00Z,../../secret\n' }],
    ['a line without an end', { 'modified_id.csv': `2026-01-09T00:00:00Z,MAL-2026-8${' '.repeat(2_000)}` }],
  ])('changes nothing after %s, and fails', async (_, files) => {
    const { name, old } = await imported();
    const before = await feedOf();
    publish([at('MAL-2026-8', name, '2026-01-08T00:00:00Z'), old], files);
    await expect(update()).rejects.toThrow();
    expect(asked()).toEqual(['modified_id.csv']);
    expect([await idsOn(name), await feedOf()]).toEqual([
      [old.id],
      { ...before, running: expect.stringMatching(/^update#/) },
    ]);
  });

  it('begins again after an entry that did not come', async () => {
    const { name, old } = await imported();
    const entries = [at('MAL-2026-8', name, '2026-01-08T00:00:00Z'), old];
    publish(entries);
    const { answer } = osv;
    osv.answer = (request, response) =>
      request.url?.endsWith('.json') ? response.writeHead(500).end() : answer(request, response);
    await expect(update()).rejects.toThrow();
    expect((await feedOf())?.newest).toBe(old.modified);
    publish(entries);
    await update();
    expect([outcome(), await idsOn(name)]).toEqual(['done', ['MAL-2026-8', old.id]]);
  });

  it('ends before it writes where another one began', async () => {
    const { name, old } = await imported();
    publish([at('MAL-2026-8', name, '2026-01-08T00:00:00Z'), old]);
    const { answer } = osv;
    osv.answer = (request, response) => {
      if (!request.url?.endsWith('.json')) return answer(request, response);
      void takeFeed(new Table(), 'npm').then(() => answer(request, response));
    };
    await update();
    expect([outcome(), await idsOn(name)]).toEqual(['replaced', [old.id]]);
  });

  it('gives way to an import that an admin begins', async () => {
    const { name, old } = await imported();
    await takeFeed(new Table(), 'npm');
    const archive = archiveOf([old, at('MAL-2026-2', name, '2026-01-02T00:00:00Z')]);
    expect(await importArchive(world, archive)).toMatchObject({ state: 'done' });
    expect(await idsOn(name)).toEqual(['MAL-2026-2', old.id]);
    expect(await feedOf()).toMatchObject({ running: '', newest: '2026-01-02T00:00:00Z' });
  });

  it('goes on with an import that was left, and asks for nothing else', async () => {
    const { name, old } = await imported();
    const archive = archiveOf([old, at('MAL-2026-2', name, '2026-01-02T00:00:00Z')]);
    const objectKey = stagingObjectKey(`${await uploadArchive(world, archive)}-0`);
    const left = { packageType: 'npm', allowsFewer: false, objectKey, size: archive.length, sha256: '' } as const;
    await insertImport(new Table(), { ...left, createdBy: null }, rememberNothing);
    publish([old]);
    await update();
    expect([asked(), outcome(), await idsOn(name)]).toEqual([[], 'done', ['MAL-2026-2', old.id]]);
  });
});
