import { advisoriesUrlVariable } from '../../../shared/config.ts';
import { Table } from '../../../shared/table/client.ts';
import { takeFeed } from '../../../shared/table/repositories/advisory-feeds.ts';
import { advisoryFeedKey } from '../../../shared/table/repositories/advisory-keys.ts';
import { newList, readList } from '../../../shared/table/repositories/advisory-lists.ts';
import { archiveOf, osvEntry } from '../../gates/osv.ts';
import { reachingLoopback, useService } from '../../harness/service.ts';
import { Upstream } from '../../harness/upstream.ts';
import { uniqueName } from '../../harness/world.ts';

const osv = new Upstream();
const variables: Record<string, string> = { ...reachingLoopback };
beforeAll(async () => {
  await osv.start();
  variables[advisoriesUrlVariable] = osv.url;
});
afterAll(async () => osv.stop());
const service = useService({ environment: variables });

type Entry = ReturnType<typeof entryOf>;
const entryOf = (name: string, day: number, id = `MAL-${uniqueName('a')}`) => ({
  ...osvEntry(id, name, { modified: `2026-01-0${day}T00:00:00Z` }, { package: { ecosystem: 'NuGet', name } }),
  modified: `2026-01-0${day}T00:00:00Z`,
});

/** osv.dev with these entries of NuGet, the latest first. */
const publish = (...entries: readonly Entry[]): void => {
  const files: Readonly<Record<string, Buffer | string>> = {
    'all.zip': archiveOf(entries),
    'modified_id.csv': entries.map(({ modified, id }) => `${modified},${id}\n`).join(''),
    ...Object.fromEntries(entries.map((entry) => [`${entry.id}.json`, JSON.stringify(entry)])),
  };
  osv.answer = ({ url = '' }, response) => void response.end(files[url.replace('/NuGet/', '')]);
};

const update = async (): Promise<void> => {
  await service.runner.invoke('importer', { packageType: 'nuget' });
};

const feedKey = advisoryFeedKey('nuget');
const feedOf = async () => (await new Table().read([feedKey])).find(feedKey);
const idsIn = async (lists = 0): Promise<readonly string[]> => {
  const list = (await feedOf())?.lists?.[lists];
  const names = list ? await readList(new Table(), 'nuget', list) : [];
  return names.flatMap(([, advisories]) => advisories.map(({ id }) => id));
};

beforeEach(async () => {
  await new Table().writeUnrecorded([{ remove: feedKey }]);
});

describe('The list of all advisories of a type whose clients read all at once', () => {
  it('comes with an archive, and with each update that changes something', async () => {
    const [one, other] = [uniqueName('a'), uniqueName('b')];
    const [first, second] = [entryOf(one, 1), entryOf(other, 2)];
    publish(first);
    await update();
    expect(await idsIn()).toEqual([first.id]);
    const before = await feedOf();
    await update();
    expect((await feedOf())?.lists).toEqual(before?.lists);
    publish(second, first);
    await update();
    expect(await idsIn()).toEqual([first.id, second.id]);
    expect((await feedOf())?.lists).toEqual([expect.any(Object), before?.lists?.[0]]);
  });

  it('comes with the update after one that wrote and did not end', async () => {
    const [first, second] = [entryOf(uniqueName('a'), 1), entryOf(uniqueName('b'), 2)];
    publish(first);
    await update();
    publish(second, first);
    await update();
    // As if the last update had ended before it listed what it wrote.
    const feed = await feedOf();
    const lists = feed?.lists?.slice(1);
    await new Table().writeUnrecorded([{ put: { ...feedKey, ...feed, lists } }]);
    await takeFeed(new Table(), 'nuget');
    expect(await idsIn()).toEqual([first.id]);
    await update();
    expect(await idsIn()).toEqual([first.id, second.id]);
  });

  it('comes with the first update after a release without lists', async () => {
    const first = entryOf(uniqueName('a'), 1);
    publish(first);
    await update();
    const { lists: _, ...feed } = (await feedOf()) ?? {};
    await new Table().writeUnrecorded([{ put: { ...feedKey, ...feed } }]);
    await update();
    expect(await idsIn()).toEqual([first.id]);
  });

  it('can be read until two others have come', async () => {
    const names = ['a', 'b', 'c'].map(uniqueName);
    const entries = names.map((name, at) => entryOf(name, at + 1)).toReversed();
    publish(...entries.slice(2));
    await update();
    const list = (await feedOf())?.lists?.[0];
    publish(...entries.slice(1));
    await update();
    expect(await idsIn(1)).toEqual([entries[2]?.id]);
    publish(...entries);
    await update();
    await expect(readList(new Table(), 'nuget', list ?? { updatedAt: '', parts: 1 })).rejects.toThrow('Two lists');
    expect(await idsIn(1)).toEqual([entries[2]?.id, entries[1]?.id]);
  });

  it('has several parts where it is large, and is none beyond ten', async () => {
    const random = (bytes: number) => Array.from({ length: bytes / 10 }, () => Math.random().toString(36).slice(2, 12));
    const all = [
      [uniqueName('a'), [{ id: 'MAL-1', kind: 'malware', severity: null, versions: random(1_500_000), ranges: [] }]],
    ] as const;
    const list = newList('nuget', undefined, all);
    expect(list?.lists?.[0]?.parts).toBeGreaterThan(1);
    await new Table().writeUnrecorded(list?.writes ?? []);
    expect(await readList(new Table(), 'nuget', list?.lists?.[0] ?? { updatedAt: '', parts: 0 })).toEqual(all);
    const larger = Array.from(
      { length: 5 },
      () =>
        [
          uniqueName('a'),
          [{ id: 'MAL-1', kind: 'malware', severity: null, versions: random(1_500_000), ranges: [] }],
        ] as const,
    );
    expect(newList('nuget', undefined, larger)).toBeUndefined();
  });
});
