import { getNugetDocument, getNugetVulnerabilities } from '../../../functions/nuget/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { advisoryFeedKey } from '../../../shared/table/repositories/advisory-keys.ts';
import { archiveOf, importArchive, osvEntry, useImportWorld } from '../../gates/osv.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { usePackageFeed } from '../../types/nupkgs.ts';

const service = useService();
const upstream = useUpstream();
const imports = useImportWorld(service);
const { setting, send, urlOf } = usePackageFeed(service, 'nuget');

const remote = async (fields: object = {}): Promise<Named> =>
  createRemote(service, setting.workspace, {
    packageType: 'nuget',
    remoteRepositoryUrl: `${upstream.url}/v3/index.json`,
    ...fields,
  });
const virtualOver = async (...children: Named[]): Promise<Named> =>
  createVirtual(service, setting.workspace, children, { packageType: 'nuget' });

const get = async (page: string, repository: Named, headers: Readonly<Record<string, string>> = {}) =>
  send(getNugetVulnerabilities, `v3/vulnerabilities/${page}`, { repository, headers });
const json = async (page: string, repository: Named): Promise<unknown> =>
  JSON.parse((await get(page, repository)).text);

interface PageFields {
  readonly name?: unknown;
  readonly url?: unknown;
  readonly updated?: unknown;
}

const listedPage = ({ name = 'base', url = '/pages/base', updated = '2026-01-02T03:04:05Z' }: PageFields = {}) => ({
  '@name': name,
  '@id': url,
  '@updated': updated,
  comment: 'All that is known.',
});

const leak = { url: 'https://example.com/1', severity: 2, versions: '(, 1.2.0)' };

/** An upstream with this index of vulnerabilities, and pages. */
const serve = (index: unknown, pages: Readonly<Record<string, unknown>> = { '/pages/base': { tool: [leak] } }) => {
  const documents: Readonly<Record<string, unknown>> = {
    '/v3/index.json': {
      resources: [
        { '@id': `${upstream.url}/reg/`, '@type': 'RegistrationsBaseUrl' },
        ...(index === undefined ? [] : [{ '@id': `${upstream.url}/known.json`, '@type': 'VulnerabilityInfo/6.7.0' }]),
      ],
    },
    '/known.json': index,
    ...pages,
  };
  upstream.requests.length = 0;
  upstream.answer = (request, response) => {
    const found = documents[request.url ?? ''];
    const content = typeof found === 'string' ? found : JSON.stringify(found);
    (found === undefined ? refusing(404) : serving(content))(request, response);
  };
};
const asked = () => upstream.requests.map(({ url }) => url);

const resourceOf = async (repository?: Named): Promise<unknown> => {
  const { text } = await send(getNugetDocument, 'v3/index.json', { ...(repository && { repository }) });
  const { resources } = JSON.parse(text) as { resources: { '@id': string; '@type': string }[] };
  return resources.find((resource) => resource['@type'] === 'VulnerabilityInfo/6.7.0')?.['@id'];
};

describe('GET /nuget/{workspace}/{repository}/v3/vulnerabilities/{page}', () => {
  it('is in the service index where there is an upstream', async () => {
    const one = await remote();
    for (const repository of [one, await virtualOver(setting.repository, one)])
      expect(await resourceOf(repository)).toBe(urlOf('v3/vulnerabilities/index.json', repository));
    for (const repository of [setting.repository, await virtualOver(setting.repository)])
      expect(await resourceOf(repository)).toBeUndefined();
  });

  itAnswers('200 with the pages of the upstream, at addresses of the repository', async () => {
    serve([listedPage(), listedPage({ name: 'a b', url: `${upstream.url}/pages/more` })], {
      '/pages/base': { tool: [leak] },
      '/pages/more': '{"other": []}',
    });
    const one = await remote();
    for (const repository of [one, await virtualOver(setting.repository, one)]) {
      const pages = (await json('index.json', repository)) as Readonly<Record<string, string>>[];
      expect(pages).toEqual([
        {
          '@name': 'base',
          '@id': urlOf('v3/vulnerabilities/base.json', repository),
          '@updated': '2026-01-02T03:04:05Z',
        },
        {
          '@name': 'a b',
          '@id': urlOf('v3/vulnerabilities/a%20b.json', repository),
          '@updated': '2026-01-02T03:04:05Z',
        },
      ]);
      expect(await json('base.json', repository)).toEqual({ tool: [leak] });
      expect((await get('a%20b.json', repository)).text).toBe('{"other": []}');
    }
    expect(asked()).toEqual(['/v3/index.json', '/known.json', '/pages/base', '/pages/more']);
    return get('index.json', one);
  });

  it('asks for a page anew once the index says a later time, and for nothing before', async () => {
    const updated = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
    serve([listedPage({ updated: updated(-60) })]);
    const repository = await remote({ metadataCacheTimeTillRevalidation: 1 });
    await get('base.json', repository);
    await get('base.json', repository);
    expect(asked().filter((url) => url === '/pages/base')).toHaveLength(1);
    serve([listedPage({ updated: updated(0) })], { '/pages/base': { tool: [] } });
    expect(await json('base.json', repository)).toEqual({ tool: [] });
  });

  it('answers 304 for what the client has', async () => {
    serve([listedPage()]);
    const repository = await remote();
    for (const page of ['index.json', 'base.json']) {
      const { status, headers } = await get(page, repository);
      expect(status).toBe(200);
      expect((await get(page, repository, { 'If-None-Match': headers.etag ?? '' })).status).toBe(304);
    }
  });

  it('knows nothing of local repositories, and of upstreams without vulnerabilities', async () => {
    serve(undefined);
    const none = await remote();
    expect([await json('index.json', none), await json('index.json', setting.repository)]).toEqual([[], []]);
    const feed = await remote({ remoteRepositoryUrl: `${upstream.url}/api/v2` });
    expect(await json('index.json', feed)).toEqual([]);
  });

  it('takes the first upstream of several that has any', async () => {
    serve([listedPage()]);
    const feed = await remote({ remoteRepositoryUrl: `${upstream.url}/api/v2` });
    const repository = await virtualOver(feed, await remote());
    expect(await json('base.json', repository)).toEqual({ tool: [leak] });
  });

  it('leaves out pages that are none, or that another host has', async () => {
    serve([
      null,
      listedPage({ name: 1 }),
      listedPage({ url: 1 }),
      listedPage({ url: 'http://[' }),
      listedPage({ url: 'https://elsewhere.example/pages/base' }),
      listedPage({ updated: 'today' }),
    ]);
    expect(await json('index.json', await remote())).toEqual([]);
  });

  itAnswers('404 FILE_NOT_FOUND for a page that is not listed, or that the upstream lost', async () => {
    serve([listedPage(), listedPage({ name: 'lost', url: '/pages/lost' })]);
    const repository = await remote();
    return [
      await get('other.json', repository),
      await get('lost.json', repository),
      await get('base.json', setting.repository),
    ];
  });
  itAnswers('502 UPSTREAM_FAILED for an index that is no list, and a page that is no object', async () => {
    serve({});
    const first = await get('index.json', await remote());
    serve([listedPage()], { '/pages/base': '[]' });
    return [first, await get('base.json', await remote())];
  });
});

describe('Vulnerabilities of NuGet where advisories were imported', () => {
  afterEach(async () => {
    await new Table().writeUnrecorded([{ remove: advisoryFeedKey('nuget') }]);
  });

  const entryOf = (id: string, name: string, affected: object, fields: object = {}) => ({
    ...osvEntry(id, name, fields),
    affected: [{ package: { ecosystem: 'NuGet', name }, ...affected }],
  });
  const range = (...events: object[]) => ({ type: 'ECOSYSTEM', events });
  const importing = async (...entries: readonly ReturnType<typeof entryOf>[]): Promise<void> => {
    const ended = await importArchive(imports, archiveOf(entries), { packageType: 'nuget', allowsFewerEntries: true });
    expect(ended.state).toBe('done');
  };
  const newId = (prefix: string): string => `${prefix}-${uniqueName('advisory')}`;
  const urlOfEntry = (id: string): string => `https://osv.dev/vulnerability/${id}`;
  const all = { ranges: [range({ introduced: '0' })] };

  it('are one page, and nobody is asked', async () => {
    serve([listedPage()]);
    const [name, other] = [uniqueName('Acme.Tool'), uniqueName('other')];
    const [malware, leaks, unrated] = [newId('MAL'), newId('GHSA'), newId('GHSA')];
    const two = range(
      { introduced: '0' },
      { fixed: '1.02' },
      { introduced: '2.0.0-Beta' },
      { last_affected: '2.1.0.0' },
    );
    await importing(
      entryOf(malware, name, all),
      entryOf(
        leaks,
        name,
        { ranges: [two], versions: ['1.1.0', '2.0.0', '3.0', '3.0.0', 'none'] },
        { database_specific: { severity: 'HIGH' } },
      ),
      entryOf(unrated, other, { ranges: [range({ introduced: '4.0' })], versions: ['5.0.0'] }),
    );
    const repository = await virtualOver(setting.repository, await remote());
    const pages = (await json('index.json', repository)) as Readonly<Record<string, string>>[];
    expect(pages).toEqual([
      {
        '@name': 'imported',
        '@id': urlOf('v3/vulnerabilities/imported.json', repository),
        '@updated': expect.any(String),
      },
    ]);
    expect(Date.parse(pages[0]?.['@updated'] ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(await json('imported.json', repository)).toEqual({
      [name.toLowerCase()]: [
        { url: urlOfEntry(malware), severity: 3, versions: '[0.0.0-0, )' },
        ...['(, 1.2.0)', '[2.0.0-beta, 2.1.0]', '[3.0.0]'].map((versions) => ({
          url: urlOfEntry(leaks),
          severity: 2,
          versions,
        })),
      ],
      [other]: [{ url: urlOfEntry(unrated), severity: 1, versions: '[4.0.0, )' }],
    });
    expect(upstream.requests).toEqual([]);
  });

  it('are listed anew by each import, with a later time, and without what it has no more', async () => {
    const name = uniqueName('tool');
    const [old, kept] = [newId('MAL'), newId('MAL')];
    const repository = await remote();
    const page = async () => (await json('imported.json', repository)) as Readonly<Record<string, unknown>>;
    const updatedAt = async (): Promise<number> => {
      const [first] = (await json('index.json', repository)) as Readonly<Record<string, string>>[];
      return Date.parse(first?.['@updated'] ?? '');
    };
    await importing(entryOf(old, name, all), entryOf(kept, name, all));
    const before = await updatedAt();
    expect((await page())[name]).toHaveLength(2);
    await importing(entryOf(kept, name, all));
    expect((await page())[name]).toEqual([expect.objectContaining({ url: urlOfEntry(kept) })]);
    expect(await updatedAt()).toBeGreaterThan(before);
    await importing(entryOf(newId('MAL'), uniqueName('tool'), { versions: ['none'] }));
    expect(await page()).toEqual({});
  });

  it('are nothing that a repository without an upstream tells of', async () => {
    await importing(entryOf(newId('MAL'), uniqueName('tool'), all));
    expect(await json('index.json', setting.repository)).toEqual([]);
  });
});
