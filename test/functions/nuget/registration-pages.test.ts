import { mergeEntries, type OrderedEntry } from '../../../shared/packages/nupkg/package-entries.ts';
import { feedProperties } from '../../../shared/packages/nupkg-feed/entries.ts';
import { urlsOf } from '../../../shared/packages/nupkg-protocol/addresses.ts';
import { registrationIndex, registrationPage } from '../../../shared/packages/nupkg-protocol/registrations.ts';

const urls = urlsOf({ root: '/nuget/' }, { baseUrl: 'https://a.example', params: { workspace: 'w', repository: 'r' } });

const entriesOf = (versions: readonly string[]): readonly OrderedEntry[] =>
  mergeEntries([versions.map((version) => ({ id: 'A', version, listed: true }))]);

const counted = (count: number): string[] => Array.from({ length: count }, (_, at) => `1.${at}.0`);

interface Page {
  readonly '@id': string;
  readonly count: number;
  readonly lower: string;
  readonly upper: string;
  readonly items?: readonly { readonly catalogEntry: { readonly version: string } }[];
}

const pagesOf = (entries: readonly OrderedEntry[]): readonly Page[] =>
  registrationIndex('a', entries, urls).items as unknown[] as Page[];

const versionsOn = ({ lower, upper }: Pick<Page, 'lower' | 'upper'>, entries: readonly OrderedEntry[]) =>
  (registrationPage({ name: 'a', lower, upper }, entries, urls) as Page | undefined)?.items?.map(
    ({ catalogEntry }) => catalogEntry.version,
  );

describe('the registration of a package', () => {
  it('has its versions in it below 128 of them, and on pages of 64 from then on', () => {
    expect(pagesOf(entriesOf(counted(127))).map(({ count, items }) => [count, items?.length])).toEqual([
      [64, 64],
      [63, 63],
    ]);
    const entries = entriesOf(counted(130));
    const pages = pagesOf(entries);
    expect(pages.map(({ count, items, '@id': id }) => [count, items, id])).toEqual([
      [64, undefined, urls.page('a', '1.0.0', '1.63.0')],
      [64, undefined, urls.page('a', '1.64.0', '1.127.0')],
      [2, undefined, urls.page('a', '1.128.0', '1.129.0')],
    ]);
    expect(pages.flatMap((page) => versionsOn(page, entries))).toEqual(counted(130));
  });

  it('answers pages of an index of before, when versions were added and removed since', () => {
    const before = entriesOf(counted(200));
    const now = entriesOf([...counted(200).filter((version) => version !== '1.64.0'), '0.1.0', '1.70.1']);
    const read = pagesOf(before).flatMap((page) => versionsOn(page, now));
    // What came before the first page is on none of that index.
    expect(read).toEqual(now.map(({ version }) => version).filter((version) => version !== '0.1.0'));
  });

  it('shows any version for what is no range, as packages of before may have it, and so do feeds', () => {
    const dependencyGroups = [
      {
        dependencies: [
          { id: 'B', range: 'bad' },
          { id: 'C', range: '[1.0.0, )' },
        ],
      },
    ];
    const entries = mergeEntries([[{ id: 'A', version: '1.0.0', listed: true, dependencyGroups }]]);
    const [entry] = entries;
    expect(pagesOf(entries)[0]?.items?.[0]?.catalogEntry).toMatchObject({
      dependencyGroups: [{ dependencies: [{ range: '(, )' }, { range: '[1.0.0, )' }] }],
    });
    const [, , dependenciesOf] = feedProperties.find(([name]) => name === 'Dependencies') ?? [];
    expect(entry && dependenciesOf?.({ entry, isLatest: true, isAbsoluteLatest: true })).toBe('B::|C:[1.0.0, ):');
  });

  it('has no page without a version', () => {
    expect(versionsOn({ lower: '3.0.0', upper: '4.0.0' }, entriesOf(counted(3)))).toBeUndefined();
  });
});
