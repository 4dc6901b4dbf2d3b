import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { getNugetDocument } from '../../../functions/nuget/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import type { Named } from '../../harness/world.ts';
import { contentIn, nupkgOf, nuspecOf, usePackageFeed } from '../../types/nupkgs.ts';

const service = useService();
const upstream = useUpstream();
const { setting, send, urlOf } = usePackageFeed(service, 'nuget');

type Documents = Readonly<Record<string, string | Uint8Array>>;

const serve = (documents: Documents): void => {
  upstream.answer = (request, response) => {
    const content = documents[request.url?.replaceAll('%27', "'") ?? ''];
    return content === undefined ? refusing(404)(request, response) : serving(content)(request, response);
  };
};

const remote = async (path = '/v3/index.json', fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> =>
  createRemote(service, setting.workspace, {
    packageType: 'nuget',
    remoteRepositoryUrl: upstream.url + path,
    ...fields,
  });

const get = async (path: string, repository: Named) => send(getNugetDocument, path, { repository });

const asked = (): unknown[] => upstream.requests.map(({ url }) => url?.replaceAll('%27', "'"));

const item = (version: string, fields: object = {}) => ({
  '@id': `${upstream.url}/reg/tool/${version}.json`,
  catalogEntry: {
    '@id': `${upstream.url}/catalog/${version}`,
    id: 'Tool',
    version,
    authors: 'They',
    description: 'Theirs',
    iconUrl: `${upstream.url}/icon`,
    projectUrl: 'https://tool.example/',
    listed: true,
    published: '2026-01-02T03:04:05Z',
    packageContent: `${upstream.url}/files/${version}`,
    dependencyGroups: [
      {
        '@id': `${upstream.url}/g`,
        dependencies: [
          {
            '@id': `${upstream.url}/d`,
            id: 'Other',
            range: '[1.0.0, )',
            registration: `${upstream.url}/reg/other/index.json`,
          },
        ],
      },
    ],
    deprecation: { '@id': `${upstream.url}/deprecated`, reasons: ['Legacy'] },
    ...fields,
  },
  packageContent: `${upstream.url}/files/${version}`,
  registration: `${upstream.url}/reg/tool/index.json`,
});

const page = (name: string, items?: readonly object[]) => ({
  '@id': `${upstream.url}/pages/${name}`,
  count: 1,
  lower: '1.0.0',
  upper: '2.0.0',
  parent: `${upstream.url}/reg/tool/index.json`,
  ...(items && { items }),
});

const nupkg = (version: string): Buffer => nupkgOf({ id: 'Tool', version, content: `upstream ${version}` });

/** An upstream by version 3, whose index has one page in it and one at another address. */
const protocolDocuments = (types = ['PackageBaseAddress/3.0.0', 'RegistrationsBaseUrl/3.6.0']): Documents => ({
  '/v3/index.json': JSON.stringify({
    version: '3.0.0',
    resources: [
      { '@id': `${upstream.url}/flat/`, '@type': types[0] },
      { '@id': `${upstream.url}/reg/`, '@type': types[1] },
      { '@id': `${upstream.url}/old/`, '@type': 'RegistrationsBaseUrl' },
    ],
  }),
  '/flat/tool/index.json': JSON.stringify({ versions: ['1.0.0', '1.5.0', '2.0.0'] }),
  '/reg/tool/index.json': JSON.stringify({
    count: 2,
    items: [page('one', [item('1.0.0'), item('not a version')]), page('two')],
  }),
  '/pages/two': JSON.stringify({ ...page('two'), items: [item('2.0.0', { listed: false }), item('1.5.0')] }),
  '/flat/tool/1.0.0/tool.1.0.0.nupkg': nupkg('1.0.0'),
  '/flat/tool/1.0.0/tool.nuspec': nuspecOf({ id: 'Tool', version: '1.0.0' }),
  '/files/1.5.0': nupkg('1.5.0'),
});

/** An entry of a feed of version 2. */
const entry = (version: string, properties = ''): string =>
  `<entry><id>${upstream.url}/Packages(Id='Tool',Version='${version}')</id><title type="text">Tool</title><content type="application/zip" src="${upstream.url}/api/v2/package/Tool/${version}" /><m:properties><d:Version>${version}</d:Version><d:Description>Theirs &amp; ours</d:Description><d:Dependencies>Other:1.0:net45|Third:[1.0,2.0):|::net6.0</d:Dependencies><d:Tags>a b</d:Tags><d:IconUrl>${upstream.url}/icon</d:IconUrl>${properties}</m:properties></entry>`;

const feed = (entries: readonly string[], next?: string): string =>
  `<?xml version="1.0" encoding="utf-8"?><feed xml:base="${upstream.url}/api/v2" xmlns="http://www.w3.org/2005/Atom" xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><title type="text">FindPackagesById</title>${entries.join('')}${next === undefined ? '' : `<link rel="next" href="${next}" />`}</feed>`;

const feedPath = "/api/v2/FindPackagesById()?id='tool'&semVerLevel=2.0.0";

const hashOf = (version: string): string =>
  `<d:PackageHash>${createHash('sha512').update(nupkg(version)).digest('base64')}</d:PackageHash><d:PackageHashAlgorithm>SHA512</d:PackageHashAlgorithm>`;

const feedDocuments = (): Documents => ({
  [feedPath]: feed(
    [entry('1.0.0', hashOf('1.0.0')), entry('1.1.0', hashOf('1.0.0'))],
    `${upstream.url}/api/v2/more?$skip=2`,
  ),
  '/api/v2/more?$skip=2': feed([
    entry('2.0.0', '<d:Published m:type="Edm.DateTime">1900-01-01T00:00:00</d:Published>'),
  ]),
  '/api/v2/package/Tool/1.0.0': nupkg('1.0.0'),
  '/api/v2/package/Tool/1.1.0': nupkg('1.1.0'),
});

interface Shown {
  readonly catalogEntry: Readonly<Record<string, unknown>>;
}

const itemsOf = async (repository: Named): Promise<readonly Shown[]> => {
  const { text } = await get('v3/registration/tool/index.json', repository);
  return (JSON.parse(text) as { items: { items: Shown[] }[] }).items.flatMap(({ items }) => items);
};

describe('GET /nuget/{workspace}/{repository}/{path+} of a remote repository by version 3', () => {
  it('finds all by the service index, and shows no address of the upstream', async () => {
    serve(protocolDocuments());
    const repository = await remote();
    const virtual = await createVirtual(service, setting.workspace, [setting.repository, repository], {
      packageType: 'nuget',
    });
    for (const each of [repository, virtual]) {
      const items = await itemsOf(each);
      expect(items.map(({ catalogEntry }) => [catalogEntry.version, catalogEntry.listed])).toEqual([
        ['1.0.0', true],
        ['1.5.0', true],
        ['2.0.0', false],
      ]);
      expect(items[0]?.catalogEntry).toMatchObject({
        id: 'Tool',
        projectUrl: 'https://tool.example/',
        deprecation: { reasons: ['Legacy'] },
        packageContent: urlOf('v3/flat/tool/1.0.0/tool.1.0.0.nupkg', each),
        dependencyGroups: [
          { dependencies: [{ id: 'Other', registration: urlOf('v3/registration/other/index.json', each) }] },
        ],
      });
      expect(JSON.stringify(items)).not.toContain(upstream.host);
      expect(JSON.parse((await get('v3/flat/tool/index.json', each)).text)).toEqual({
        versions: ['1.0.0', '1.5.0', '2.0.0'],
      });
      expect(contentIn((await get('v3/flat/tool/1.0.0/tool.1.0.0.nupkg', each)).text)).toBe('upstream 1.0.0');
      expect((await get('v3/flat/tool/1.0.0/tool.nuspec', each)).text).toBe(nuspecOf({ id: 'Tool', version: '1.0.0' }));
    }
    expect(asked()).toEqual([
      '/v3/index.json',
      '/reg/tool/index.json',
      '/pages/two',
      '/flat/tool/index.json',
      '/flat/tool/1.0.0/tool.1.0.0.nupkg',
      '/flat/tool/1.0.0/tool.nuspec',
    ]);
  });

  it('reads compressed registrations, and takes files from where those say, where there is no folder of them', async () => {
    const documents = protocolDocuments(['Nothing', 'RegistrationsBaseUrl/3.6.0']);
    upstream.answer = (request, response) => {
      const content = documents[request.url ?? ''];
      if (content === undefined) return refusing(404)(request, response);
      if (!request.url?.startsWith('/reg')) return serving(content)(request, response);
      return serving(gzipSync(content), { 'Content-Encoding': 'gzip' })(request, response);
    };
    const repository = await remote();
    expect(JSON.parse((await get('v3/flat/tool/index.json', repository)).text)).toEqual({
      versions: ['1.0.0', '1.5.0', '2.0.0'],
    });
    expect(contentIn((await get('v3/flat/tool/1.5.0/tool.1.5.0.nupkg', repository)).text)).toBe('upstream 1.5.0');
  });

  it('passes on what it does not keep, with the nuspec of the upstream', async () => {
    serve(protocolDocuments());
    const repository = await remote('/v3/', { isRemoteCacheEnabled: false });
    expect(contentIn((await get('v3/flat/tool/1.0.0/tool.1.0.0.nupkg', repository)).text)).toBe('upstream 1.0.0');
    expect((await get('v3/flat/tool/1.0.0/tool.nuspec', repository)).text).toBe(
      nuspecOf({ id: 'Tool', version: '1.0.0' }),
    );
    expect(asked()).toContain('/flat/tool/1.0.0/tool.nuspec');
  });

  it('keeps documents, asks again once the time is over, and serves them while the upstream fails', async () => {
    serve(protocolDocuments());
    const repository = await remote('/v3/index.json', { metadataCacheTimeTillRevalidation: 1 });
    const caches: unknown[] = [];
    for (const answer of [undefined, undefined, refusing(503)]) {
      if (answer) upstream.answer = answer;
      const { headers } = await get('v3/registration/tool/index.json', repository);
      caches.push(headers['x-stockroom-cache']);
    }
    expect(caches).toEqual(['miss', 'miss', 'stale']);
  });

  itAnswers('404 PACKAGE_NOT_FOUND for what the upstream does not have', async () => {
    serve(protocolDocuments());
    const repository = await remote();
    return [
      await get('v3/flat/other/index.json', repository),
      await get('v3/registration/other/index.json', repository),
    ];
  });

  itAnswers(
    '502 UPSTREAM_FAILED for documents that are none of the protocol, and a URL without a service index',
    async () => {
      const documents = protocolDocuments();
      serve({
        ...documents,
        '/v3/index.json': '{}',
        '/w3/index.json': String(documents['/v3/index.json']),
        '/reg/tool/index.json': '{"items":[]}',
        '/flat/tool/index.json': '[]',
      });
      return [
        await get('v3/flat/tool/index.json', await remote()),
        await get('v3/flat/tool/index.json', await remote('/w3/')),
        await get('v3/registration/tool/index.json', await remote('/w3')),
        await get('v3/flat/tool/index.json', await remote('/nowhere.json')),
      ];
    },
  );
});

describe('GET /nuget/{workspace}/{repository}/{path+} of a remote repository by version 2', () => {
  it('makes all documents of its feeds, page after page', async () => {
    serve(feedDocuments());
    const repository = await remote('/api/v2/');
    const items = await itemsOf(repository);
    expect(items.map(({ catalogEntry }) => [catalogEntry.version, catalogEntry.listed])).toEqual([
      ['1.0.0', true],
      ['1.1.0', true],
      ['2.0.0', false],
    ]);
    expect(items[0]?.catalogEntry).toMatchObject({
      id: 'Tool',
      description: 'Theirs & ours',
      tags: ['a', 'b'],
      dependencyGroups: [
        { targetFramework: 'net45', dependencies: [{ id: 'Other', range: '[1.0.0, )' }] },
        { dependencies: [{ id: 'Third', range: '[1.0.0, 2.0.0)' }] },
        { targetFramework: 'net6.0', dependencies: [] },
      ],
    });
    expect(JSON.stringify(items)).not.toContain(upstream.host);
    expect(JSON.parse((await get('v3/flat/tool/index.json', repository)).text)).toEqual({
      versions: ['1.0.0', '1.1.0', '2.0.0'],
    });
    expect(contentIn((await get('v3/flat/tool/1.0.0/tool.1.0.0.nupkg', repository)).text)).toBe('upstream 1.0.0');
    expect(asked()).toEqual([feedPath, '/api/v2/more?$skip=2', '/api/v2/package/Tool/1.0.0']);
  });

  it('is what an upstream without a service index speaks', async () => {
    serve(
      Object.fromEntries(
        Object.entries(feedDocuments()).map(([path, each]) => [
          path.replace('/api/v2/FindPackagesById', '/feed/FindPackagesById'),
          each,
        ]),
      ),
    );
    expect(await itemsOf(await remote('/feed'))).toHaveLength(3);
  });

  itAnswers('502 UPSTREAM_FAILED for a package with another hash than the feed promises', async () => {
    serve(feedDocuments());
    return get('v3/flat/tool/1.1.0/tool.1.1.0.nupkg', await remote('/api/v2/'));
  });

  itAnswers('502 UPSTREAM_FAILED for what is no feed', async () => {
    serve({ [feedPath]: '<html>Sign in</html>' });
    return get('v3/flat/tool/index.json', await remote('/api/v2/'));
  });

  itAnswers('404 PACKAGE_NOT_FOUND for a feed without an entry', async () => {
    serve({ [feedPath]: feed([]) });
    return get('v3/flat/tool/index.json', await remote('/api/v2/'));
  });
});
