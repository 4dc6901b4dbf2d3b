import { createHash } from 'node:crypto';
import { getChocolateyDocument, publishChocolateyPackage } from '../../../functions/chocolatey/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import type { Named } from '../../harness/world.ts';
import { readFeedPage, versionsIn } from '../../types/feeds.ts';
import { contentIn, nupkgOf, usePackageFeed } from '../../types/nupkgs.ts';

const service = useService();
const upstream = useUpstream();
const { setting, send, push, urlOf } = usePackageFeed(service, 'chocolatey');

const get = async (path: string, repository: Named) => send(getChocolateyDocument, path, { repository });

const serve = (documents: Readonly<Record<string, string | Uint8Array>>): void => {
  upstream.answer = (request, response) => {
    const content = documents[request.url?.replaceAll('%27', "'") ?? ''];
    return content === undefined ? refusing(404)(request, response) : serving(content)(request, response);
  };
};

const remote = async (path: string, fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> =>
  createRemote(service, setting.workspace, {
    packageType: 'chocolatey',
    remoteRepositoryUrl: upstream.url + path,
    ...fields,
  });

const virtualOver = async (...children: readonly Named[]): Promise<Named> =>
  createVirtual(service, setting.workspace, children, { packageType: 'chocolatey' });

const nupkg = (version: string): Buffer => nupkgOf({ id: 'Tool', version, content: `upstream ${version}` });
const hashOf = (version: string): string => createHash('sha512').update(nupkg(version)).digest('base64');

const entry = (version: string): string =>
  `<entry><title type="text">Tool</title><content type="application/zip" src="${upstream.url}/api/v2/package/Tool/${version}" /><m:properties><d:Version>${version}</d:Version><d:Description>Theirs &amp; ours</d:Description><d:Dependencies>Other:[1.0, ):net45|::net6.0</d:Dependencies><d:Tags>a b</d:Tags><d:DownloadCount>7</d:DownloadCount><d:PackageHash>${hashOf(version)}</d:PackageHash><d:PackageHashAlgorithm>SHA512</d:PackageHashAlgorithm></m:properties></entry>`;

const feed = (entries: readonly string[], next = ''): string =>
  `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:d="d" xmlns:m="m">${entries.join('')}${next === '' ? '' : `<link rel="next" href="${next}"/>`}</feed>`;

const askedPath = "/api/v2/FindPackagesById()?id='tool'&semVerLevel=2.0.0";
const feeds = () => ({
  [askedPath]: feed([entry('1.0.0')], `${upstream.url}/api/v2/more`),
  '/api/v2/more': feed([entry('1.1.0')]),
  '/api/v2/package/Tool/1.0.0': nupkg('1.0.0'),
  '/api/v2/package/Tool/1.1.0': nupkg('1.0.0'),
});

const byId = "FindPackagesById()?id='Tool'";

describe('GET /chocolatey/{workspace}/{repository}/{path+} of a remote repository', () => {
  it('shows all pages of a feed of version 2 as one, without an address of the upstream, and keeps what it fetched', async () => {
    serve(feeds());
    const repository = await remote('/api/v2/');
    for (const each of [repository, await virtualOver(setting.repository, repository)]) {
      const { text, headers } = await get(byId, each);
      expect(versionsIn(text)).toEqual(['Tool 1.0.0', 'Tool 1.1.0']);
      expect(readFeedPage(text).entries[1]?.properties).toMatchObject({
        Description: 'Theirs & ours',
        Dependencies: 'Other:[1.0.0, ):net45|::net6.0',
        Tags: 'a b',
        DownloadCount: '7',
        PackageHash: hashOf('1.1.0'),
        IsLatestVersion: 'true',
      });
      expect(text).toContain(urlOf('package/Tool/1.1.0', each));
      expect(text).not.toContain(upstream.host);
      expect(headers['x-stockroom-origin']).toBe(repository.name);
      expect(
        versionsIn((await get("Packages()?$filter=(tolower(Id)%20eq%20'tool')%20and%20IsLatestVersion", each)).text),
      ).toEqual(['Tool 1.1.0']);
      expect(versionsIn((await get("Packages(Id='Tool',Version='1.0.0')", each)).text)).toEqual(['Tool 1.0.0']);
      expect(contentIn((await get('package/Tool/1.0.0', each)).text)).toBe('upstream 1.0.0');
    }
    expect(upstream.requests.map(({ url }) => url?.replaceAll('%27', "'"))).toEqual([
      askedPath,
      '/api/v2/more',
      '/api/v2/package/Tool/1.0.0',
    ]);
  });

  it('shows what an upstream of version 3 has', async () => {
    serve({
      '/v3/index.json': JSON.stringify({
        version: '3.0.0',
        resources: [
          { '@id': `${upstream.url}/flat/`, '@type': 'PackageBaseAddress/3.0.0' },
          { '@id': `${upstream.url}/reg/`, '@type': 'RegistrationsBaseUrl/3.6.0' },
        ],
      }),
      '/reg/tool/index.json': JSON.stringify({
        items: [
          { items: [{ catalogEntry: { id: 'Tool', version: '1.0.0', listed: true, description: 'T\u0001hree' } }] },
        ],
      }),
      '/flat/tool/1.0.0/tool.1.0.0.nupkg': nupkg('1.0.0'),
    });
    const repository = await remote('/v3/index.json');
    const [found] = readFeedPage((await get(byId, repository)).text).entries;
    // No hash is promised, so none is shown; what XML cannot have is left out.
    expect(found?.properties).toMatchObject({
      Description: 'Three',
      PackageHash: 'null',
      PackageHashAlgorithm: 'null',
    });
    expect(found?.properties.Published?.slice(0, 4)).toBe('1970');
    expect(contentIn((await get('package/Tool/1.0.0', repository)).text)).toBe('upstream 1.0.0');
  });

  it('is never asked for a name that a local repository holds', async () => {
    serve(feeds());
    const local = await service.world.repository(setting.workspace, undefined, 'chocolatey');
    const virtual = await virtualOver(local, await remote('/api/v2/'));
    await push(publishChocolateyPackage, '', nupkgOf({ id: 'TOOL', version: '0.1.0' }), { repository: local });
    for (const path of [byId, "Packages()?$filter=tolower(Id)%20eq%20'tool'"])
      expect(versionsIn((await get(path, virtual)).text)).toEqual(['TOOL 0.1.0']);
    expect((await get('package/Tool/1.0.0', virtual)).status).toBe(404);
    expect(upstream.requests).toEqual([]);
  });

  it('serves what it has while the upstream fails, and says so', async () => {
    serve(feeds());
    const repository = await remote('/api/v2/', { metadataCacheTimeTillRevalidation: 1 });
    await get(byId, repository);
    upstream.answer = refusing(503);
    const { headers, text } = await get(byId, repository);
    expect([headers['x-stockroom-cache'], versionsIn(text).length]).toEqual(['stale', 2]);
  });

  it('is empty for what the upstream does not have', async () => {
    serve({ [askedPath]: feed([]) });
    expect(versionsIn((await get(byId, await remote('/api/v2/'))).text)).toEqual([]);
  });

  itAnswers('502 UPSTREAM_FAILED for a package with another hash than the feed promises', async () => {
    serve(feeds());
    return get('package/Tool/1.1.0', await remote('/api/v2/'));
  });

  itAnswers('502 UPSTREAM_FAILED for a feed that leads back to a page of itself, which is read once', async () => {
    const start = askedPath.replace('&', '&amp;');
    const answers = [];
    for (const [first, second, pages] of [
      [start, '', 1],
      ['/api/v2/more', start, 2],
      ['/api/v2/more', '/api/v2/more', 2],
    ] as const) {
      serve({
        [askedPath]: feed([entry('1.0.0')], upstream.url + first),
        '/api/v2/more': feed([entry('1.1.0')], upstream.url + second),
      });
      const count = upstream.requests.length;
      const answer = await get(byId, await remote('/api/v2/'));
      expect(upstream.requests.length - count).toBe(pages);
      expect(answer.problem?.detail).toContain('leads from a page of tool back to one that was read before');
      answers.push(answer);
    }
    return answers;
  });

  itAnswers('502 UPSTREAM_FAILED for what is no feed', async () => {
    upstream.answer = serving('<html>Sign in</html>');
    const repository = await remote('/api/v2/');
    return [await get(byId, repository), await get("Search()?searchTerm='tool'", repository)];
  });
});
