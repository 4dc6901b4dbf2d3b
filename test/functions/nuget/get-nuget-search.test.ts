import { getNugetSearch, publishNugetPackage } from '../../../functions/nuget/contracts.ts';
import { parseSearch } from '../../../shared/packages/nupkg-protocol/search-query.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { nupkgOf, usePackageFeed } from '../../types/nupkgs.ts';

const service = useService();
const upstream = useUpstream();
const { setting, send, push, urlOf } = usePackageFeed(service, 'nuget');

const publishTo = async (repository: Named, id: string, version: string): Promise<void> => {
  await push(publishNugetPackage, 'v3/package/', nupkgOf({ id, version }), { repository });
};

const published = async (id: string, ...versions: readonly string[]): Promise<void> => {
  for (const version of versions) await publishTo(setting.repository, id, version);
};

interface Result {
  readonly totalHits: number;
  readonly data: readonly (Readonly<Record<string, unknown>> & { readonly id: string; readonly version: string })[];
}

const search = async (query: string, repository?: Named): Promise<Result> =>
  JSON.parse((await send(getNugetSearch, `v3/query?${query}`, { ...(repository && { repository }) })).text) as Result;

const foundBy = async (query: string, repository?: Named) =>
  (await search(query, repository)).data.map(({ id, version }) => [id, version]);

describe('GET /nuget/{workspace}/{repository}/v3/query', () => {
  it('finds packages whose IDs contain each word, with their highest version and addresses', async () => {
    const word = uniqueName().replaceAll('-', '');
    await published(`${word}.Logging`, '1.0.0', '1.10.0', '1.9.0');
    await published(`${word}.Other`, '1.0.0');
    const { totalHits, data } = await search(`q=${word}%20LOGG`);
    const name = `${word}.logging`;
    expect(totalHits).toBe(1);
    expect(data).toMatchObject([
      {
        '@id': urlOf(`v3/registration/${name}/index.json`),
        id: `${word}.Logging`,
        version: '1.10.0',
        description: 'A package of a test',
        authors: ['Acme'],
        versions: ['1.0.0', '1.9.0', '1.10.0'].map((version) => ({
          '@id': urlOf(`v3/registration/${name}/${version}.json`),
          version,
        })),
      },
    ]);
    expect(await foundBy(`q=packageid:${word}`)).toEqual([]);
    expect(await foundBy(`q=packageid:${name}`)).toEqual([[`${word}.Logging`, '1.10.0']]);
    expect(await foundBy(`q=${word}&skip=1&take=1`)).toEqual([[`${word}.Other`, '1.0.0']]);
  });

  it('shows prereleases and versions of SemVer 2 to those who ask for them', async () => {
    const id = uniqueName('Acme');
    await published(id, '1.0.0', '1.1.0-beta', '1.2.0-beta.1');
    const highest = async (query: string) => (await foundBy(`q=${id}${query}`))[0]?.[1];
    expect(await highest('')).toBe('1.0.0');
    expect(await highest('&semVerLevel=2.0.0')).toBe('1.0.0');
    expect(await highest('&prerelease=true')).toBe('1.1.0-beta');
    expect(await highest('&prerelease=true&semVerLevel=2.0.0')).toBe('1.2.0-beta.1');
  });

  it('finds only packages of the type that is asked for', async () => {
    const word = uniqueName('Acme');
    await published(word, '1.0.0');
    const elements = '<packageTypes><packageType name="DotnetTool"/></packageTypes>';
    await push(publishNugetPackage, 'v3/package/', nupkgOf({ id: `${word}.Cli`, version: '1.0.0', elements }));
    expect(await foundBy(`q=${word}&packageType=dotnettool`)).toEqual([[`${word}.Cli`, '1.0.0']]);
    expect(await foundBy(`q=${word}&packageType=Dependency`)).toEqual([[word, '1.0.0']]);
  });

  it('takes what editors send, whatever else it is', async () => {
    const id = uniqueName('Acme');
    await published(id, '1.0.0');
    // As Visual Studio does, once for each framework of a project.
    const frameworks = 'supportedFramework=.NETFramework,Version%3Dv4.7.2&supportedFramework=net6.0';
    expect(await foundBy(`q=${id}&skip=0&take=26&prerelease=false&${frameworks}&semVerLevel=2.0.0`)).toEqual([
      [id, '1.0.0'],
    ]);
  });

  it('finds nothing by what is not indexed, and nothing behind the last page', async () => {
    const id = uniqueName('Acme');
    await published(id, '1.0.0');
    expect(await foundBy(`q=owner:acme%20${id}`)).toEqual([]);
    expect(await foundBy(`q=id:${id}`)).toEqual([[id, '1.0.0']]);
    expect(await foundBy('q=&skip=3001')).toEqual([]);
    expect([3000, 3001].map((skip) => parseSearch({ skip: String(skip), take: '20' }).size)).toEqual([20, 0]);
  });

  it('finds what upstreams find, by their service index, and shows none of their addresses', async () => {
    const word = uniqueName('pack');
    await published(`${word}.mine`, '1.0.0');
    const found = [`${word}.mine`, `${word}.theirs`].map((id) => ({
      '@id': `${upstream.url}/r/${id}`,
      registration: `${upstream.url}/r/${id}`,
      id,
      version: '9.0.0',
      description: 'theirs',
      iconUrl: `${upstream.url}/icon`,
      versions: [{ version: '9.0.0', downloads: 5, '@id': `${upstream.url}/r/${id}/9` }],
    }));
    upstream.answer = (request, response) => {
      if (request.url === '/v3/index.json')
        return serving(
          JSON.stringify({
            version: '3.0.0',
            resources: [{ '@id': `${upstream.url}/find?a=1`, '@type': 'SearchQueryService' }],
          }),
        )(request, response);
      if (request.url?.startsWith('/find'))
        return serving(JSON.stringify({ totalHits: 2, data: found }))(request, response);
      return refusing(404)(request, response);
    };
    const remote = await createRemote(service, setting.workspace, {
      packageType: 'nuget',
      remoteRepositoryUrl: `${upstream.url}/v3/index.json`,
    });
    const virtual = await createVirtual(service, setting.workspace, [setting.repository, remote], {
      packageType: 'nuget',
    });
    expect(await foundBy(`q=${word}`, virtual)).toEqual([
      [`${word}.mine`, '1.0.0'],
      [`${word}.theirs`, '9.0.0'],
    ]);
    expect(upstream.requests.at(-1)?.url).toBe(`/find?a=1&q=${word}&skip=0&take=20&prerelease=false`);
    const { text } = await send(getNugetSearch, `v3/query?q=${word}`, { repository: virtual });
    expect(text).not.toContain(upstream.url);
    expect(text).toContain('"downloads":5');
  });

  it('shows the versions of all local children of a virtual repository', async () => {
    const word = uniqueName('word');
    const second = await service.world.repository(setting.workspace, undefined, 'nuget');
    await published(`${word}.A`, '1.0.0');
    await published(`${word}.B`, '1.0.0-beta');
    await publishTo(second, `${word}.A`, '2.0.0');
    await publishTo(second, `${word}.B`, '1.5.0');
    const virtual = await createVirtual(service, setting.workspace, [setting.repository, second], {
      packageType: 'nuget',
    });
    expect(await foundBy(`q=${word}`, virtual)).toEqual([
      [`${word}.A`, '2.0.0'],
      [`${word}.B`, '1.5.0'],
    ]);
    expect((await search(`q=${word}.A`, virtual)).data[0]?.versions).toMatchObject([
      { version: '1.0.0' },
      { version: '2.0.0' },
    ]);
  });

  itAnswers('502 UPSTREAM_FAILED if the only upstream fails', async () => {
    upstream.answer = serving('no JSON');
    const remote = await createRemote(service, setting.workspace, {
      packageType: 'nuget',
      remoteRepositoryUrl: `${upstream.url}/v3/index.json`,
    });
    return send(getNugetSearch, 'v3/query?q=a', { repository: remote });
  });
});
