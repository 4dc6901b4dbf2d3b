import { getChocolateyDocument, publishChocolateyPackage } from '../../../functions/chocolatey/contracts.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { serving, useUpstream } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { readFeedPage, versionsIn } from '../../types/feeds.ts';
import { nupkgOf, usePackageFeed } from '../../types/nupkgs.ts';

const service = useService();
const upstream = useUpstream();
const { setting, send, push, urlOf } = usePackageFeed(service, 'chocolatey');

const get = async (path: string, repository?: Named) =>
  send(getChocolateyDocument, path, { ...(repository && { repository }) });
const found = async (path: string, repository?: Named) => versionsIn((await get(path, repository)).text);

const publish = async (id: string, version: string, elements = '', repository?: Named): Promise<void> => {
  const file = nupkgOf({ id, version, elements });
  const { status } = await push(publishChocolateyPackage, '', file, { ...(repository && { repository }) });
  if (status !== 201) throw new Error(`${id} ${version} was not published.`);
};

/** The request of a search, as NuGet.Protocol sends it. */
const search = (term: string, more = '$filter=IsLatestVersion', prereleases = false): string =>
  `Search()?${more}&searchTerm='${term}'&targetFramework=''&includePrerelease=${prereleases}&semVerLevel=2.0.0`;

describe('GET /chocolatey/{workspace}/{repository}/Search()', () => {
  it('finds packages whose IDs contain each word, with the version that the filter asks for', async () => {
    const word = uniqueName('word').replaceAll('-', '');
    for (const version of ['1.0.0', '1.1.0', '2.0.0-beta']) await publish(`${word}.One`, version);
    await publish(`${word}.Two`, '1.0.0');
    await publish(`${word}.Three`, '1.0.0-alpha');
    expect(await found(search(word))).toEqual([`${word}.One 1.1.0`, `${word}.Two 1.0.0`]);
    expect(await found(search(`${word}%20TWO`))).toEqual([`${word}.Two 1.0.0`]);
    expect(await found(search(word, '$filter=IsAbsoluteLatestVersion&$orderby=Id', true))).toEqual([
      `${word}.One 2.0.0-beta`,
      `${word}.Three 1.0.0-alpha`,
      `${word}.Two 1.0.0`,
    ]);
    // All versions, as nuget.exe lists them.
    expect(await found(search(word, '$orderby=Id'))).toEqual([
      `${word}.One 1.0.0`,
      `${word}.One 1.1.0`,
      `${word}.Two 1.0.0`,
    ]);
    expect(await found(search(word, `$filter=IsLatestVersion%20and%20startswith(Id,%20'${word}.T')`))).toEqual([
      `${word}.Two 1.0.0`,
    ]);
  });

  it('fills each page, also where packages have nothing that the filter lets through', async () => {
    const word = uniqueName('word').replaceAll('-', '');
    const ids = Array.from({ length: 24 }, (_, at) => `${word}.${String(at).padStart(2, '0')}`);
    // Every third package has a prerelease alone.
    await Promise.all(ids.map(async (id, at) => publish(id, at % 3 === 0 ? '1.0.0-beta' : '1.0.0')));
    const pages: string[][] = [];
    for (const skip of [0, 6, 12, 18])
      pages.push([...(await found(search(word, `$filter=IsLatestVersion&$orderby=Id&$skip=${skip}&$top=6`)))]);
    expect(pages.map(({ length }) => length)).toEqual([6, 6, 4, 0]);
    expect(pages.flat()).toEqual(ids.filter((_, at) => at % 3 !== 0).map((id) => `${id} 1.0.0`));
    expect((await get(search(word).replace('Search()', 'Search()/$count'))).text).toBe('16');
    const counted = readFeedPage(
      (await get(search(word, '$filter=IsLatestVersion&$inlinecount=allpages&$top=5'))).text,
    );
    expect([counted.entries.length, counted.count, counted.next]).toEqual([5, '16', undefined]);
    const filter = encodeURIComponent(`startswith(tolower(Id),'${word}') and IsLatestVersion`);
    expect(await found(`Packages()?$filter=${filter}&$skip=4&$top=2`)).toEqual([
      `${word}.07 1.0.0`,
      `${word}.08 1.0.0`,
    ]);
  });

  it('finds by tags and descriptions what Packages() is asked for', async () => {
    const [word, repository] = [
      uniqueName('tag'),
      await service.world.repository(setting.workspace, undefined, 'chocolatey'),
    ];
    await publish('one', '1.0.0', `<tags>${word} other</tags>`, repository);
    await publish('two', '1.0.0', `<tags>x${word}</tags><summary>${word}</summary>`, repository);
    const filter = encodeURIComponent(`((Tags ne null) and substringof(' ${word} ',tolower(Tags)))`);
    expect(await found(`Packages()?$filter=${filter}`, repository)).toEqual(['one 1.0.0']);
    expect(await found('Packages()', repository)).toEqual(['one 1.0.0', 'two 1.0.0']);
    expect((await get('Packages()/$count', repository)).text).toBe('2');
  });

  it('reads no package whose ID the filter leaves out', async () => {
    const repository = await service.world.repository(setting.workspace, undefined, 'chocolatey');
    for (const id of ['acme.one', 'acme.two', 'other.one']) await publish(id, '1.0.0', '', repository);
    const callsFor = async (start: string): Promise<number> => {
      await found(`Packages()?$filter=startswith(Id,'${start}')`, repository);
      service.proxy.forget();
      await found(`Packages()?$filter=startswith(Id,'${start}')`, repository);
      return service.proxy.callsOf(getChocolateyDocument.id).length;
    };
    const none = await callsFor('x');
    expect([(await callsFor('other')) - none, (await callsFor('acme')) - none]).toEqual([1, 2]);
  });

  it('links the next page of many packages while more remain', async () => {
    const repository = await service.world.repository(setting.workspace, undefined, 'chocolatey');
    const ids = Array.from({ length: 103 }, (_, at) => `p${String(at).padStart(3, '0')}`);
    for (let at = 0; at < ids.length; at += 20)
      await Promise.all(ids.slice(at, at + 20).map(async (id) => publish(id, '1.0.0', '', repository)));
    const first = readFeedPage((await get(search(''), repository)).text);
    const second = readFeedPage((await get(first.next?.slice(urlOf('', repository).length) ?? '', repository)).text);
    expect([first.entries.length, second.entries.length, second.next]).toEqual([100, 3, undefined]);
    expect([...first.entries, ...second.entries].map(({ properties }) => properties.Id)).toEqual(ids);
  });

  it('shows the latest version of all local children of a virtual repository', async () => {
    const word = uniqueName('pack');
    const second = await service.world.repository(setting.workspace, undefined, 'chocolatey');
    await publish(`${word}.a`, '1.0.0');
    await publish(`${word}.b`, '1.0.0-beta');
    await publish(`${word}.a`, '2.0.0', '', second);
    await publish(`${word}.b`, '1.5.0', '', second);
    const virtual = await createVirtual(service, setting.workspace, [setting.repository, second], {
      packageType: 'chocolatey',
    });
    const latest = [`${word}.a 2.0.0`, `${word}.b 1.5.0`];
    expect(await found(search(word), virtual)).toEqual(latest);
    expect(await found(`Packages()?$filter=startswith(Id,'${word}')%20and%20IsLatestVersion`, virtual)).toEqual(latest);
  });

  it('finds what upstreams find, and shows none of their addresses', async () => {
    const word = uniqueName('pack');
    await publish(`${word}.mine`, '1.0.0');
    const entryOf = (id: string): string =>
      `<entry><title>${id}</title><content type="application/zip" src="${upstream.url}/package/${id}/9.0.0"/><m:properties><d:Version>9.0.0</d:Version><d:DownloadCount>5</d:DownloadCount><d:IconUrl>${upstream.url}/icon</d:IconUrl></m:properties></entry>`;
    upstream.answer = serving(
      `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:d="d" xmlns:m="m">${entryOf(`${word}.mine`)}${entryOf(`${word}.theirs`)}</feed>`,
    );
    const remote = await createRemote(service, setting.workspace, {
      packageType: 'chocolatey',
      remoteRepositoryUrl: `${upstream.url}/api/v2/`,
    });
    const virtual = await createVirtual(service, setting.workspace, [setting.repository, remote], {
      packageType: 'chocolatey',
    });
    const { text } = await get(search(word, '$filter=IsLatestVersion&$skip=0&$top=30'), virtual);
    expect(versionsIn(text)).toEqual([`${word}.mine 1.0.0`, `${word}.theirs 9.0.0`]);
    expect(text).not.toContain(upstream.host);
    const asked = new URL(upstream.requests.at(-1)?.url ?? '', upstream.url);
    expect([
      asked.pathname,
      asked.searchParams.get('searchTerm'),
      asked.searchParams.get('$filter'),
      asked.searchParams.get('$top'),
    ]).toEqual(['/api/v2/Search()', `'${word}'`, 'IsLatestVersion', '30']);
    const filter = encodeURIComponent(`substringof('${word}.th',tolower(Id)) and IsLatestVersion`);
    expect(await found(`Packages()?$filter=${filter}`, virtual)).toEqual([`${word}.theirs 9.0.0`]);
    expect(JSON.parse((await get(`package-ids?partialId=${word}.th`, virtual)).text)).toEqual([`${word}.theirs`]);
  });
});
