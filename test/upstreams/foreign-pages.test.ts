import type { RequestListener } from 'node:http';
import { getCrateIndex } from '../../functions/cargo/contracts.ts';
import { getChocolateyDocument } from '../../functions/chocolatey/contracts.ts';
import { getComposerDocument } from '../../functions/composer/contracts.ts';
import { getConanDocument } from '../../functions/conan/contracts.ts';
import { getDebianDocument } from '../../functions/debian/contracts.ts';
import { getImageContent } from '../../functions/docker/contracts.ts';
import { getGemsDocument } from '../../functions/gems/contracts.ts';
import { getGoFile } from '../../functions/go/contracts.ts';
import { getHelmDocument } from '../../functions/helm/contracts.ts';
import { getMavenFile } from '../../functions/maven/contracts.ts';
import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { getNugetDocument } from '../../functions/nuget/contracts.ts';
import { getPypiDocument } from '../../functions/pypi/contracts.ts';
import { getRpmDocument } from '../../functions/rpm/contracts.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { useRemoteClient } from '../harness/remote-repositories.ts';
import { refusing, serving } from '../harness/upstream.ts';
import type { Named } from '../harness/world.ts';
import { casesOf, type Page, portals, type UpstreamContent } from './foreign-cases.ts';
import { documents, filesWithoutHash } from './foreign-content.ts';

const { upstream, remote: remoteWith, get: ask } = useRemoteClient();

const contracts = {
  pypi: getPypiDocument,
  npm: getNpmDocument,
  maven: getMavenFile,
  go: getGoFile,
  cargo: getCrateIndex,
  composer: getComposerDocument,
  conan: getConanDocument,
  gems: getGemsDocument,
  helm: getHelmDocument,
  nuget: getNugetDocument,
  chocolatey: getChocolateyDocument,
  docker: getImageContent,
  rpm: getRpmDocument,
  debian: getDebianDocument,
} as const;

const remote = async (packageType: PackageType, fields: object = {}): Promise<Named> =>
  remoteWith({
    packageType,
    metadataCacheTimeTillRevalidation: 1,
    fileCacheTimeTillRevalidation: 1,
    ...fields,
  });

const get = async (repository: Named, { type, path }: UpstreamContent) => {
  const answer = await ask(contracts[type], type, repository, path);
  return { ...answer, cache: answer.headers['x-stockroom-cache'] };
};

const serve = ({ path, at = `/${path}`, beside = {} }: UpstreamContent, [content, headers]: Page): void => {
  upstream.answer = (request, response) => {
    const { url = '' } = request;
    // The manifest of a tag is also asked for by its digest.
    const isIt = decodeURIComponent(url) === at || /\/manifests\/sha256:/.test(url);
    const other = beside[url];
    const answer: RequestListener =
      other === undefined ? (isIt ? serving(content, headers) : refusing(404)) : serving(other);
    answer(request, response);
  };
};

const describeAll = (all: Readonly<Record<string, UpstreamContent>>): void => {
  it.each(casesOf(all))('$what: $title is a failure of the upstream and is not kept', async ({ document, page }) => {
    const repository = await remote(document.type);
    serve(document, page);
    const refused = await get(repository, document);
    expect([refused.status, refused.code]).toEqual([502, 'UPSTREAM_FAILED']);
    expect(refused.problem?.detail).toMatch(/ sent .* \(HTTP 200\)\.$/);
    serve(document, [document.good, document.headers]);
    const good = await get(repository, document);
    expect([good.status, good.cache]).toEqual([200, 'miss']);
    serve(document, page);
    const stale = await get(repository, document);
    expect([stale.status, stale.cache, stale.headers.warning]).toEqual([200, 'stale', '110 - "Response is Stale"']);
    expect(stale.text).toBe(good.text);
  });
};

describe('A page in place of a document', () => describeAll(documents));

describe('A page in place of a file without a promised hash', () => {
  describeAll(filesWithoutHash);

  it.each(Object.entries(filesWithoutHash))('%s is not passed on without a cache either', async (_, document) => {
    const repository = await remote(document.type, { isRemoteCacheEnabled: false });
    serve(document, portals['the page of a portal'] ?? ['']);
    expect((await get(repository, document)).code).toBe('UPSTREAM_FAILED');
    serve(document, [document.good, document.headers]);
    expect((await get(repository, document)).status).toBe(200);
  });

  it('is no checksum of a POM, whatever texts it has, and an HTML file may be one', async () => {
    const repository = await remote('maven');
    const [page] = portals['the page of a portal without a media type'] ?? [''];
    const pom = { type: 'maven', path: 'g/a/1.0/a-1.0.pom' } as const;
    upstream.answer = (request, response) =>
      serving(request.url?.endsWith('.sha1') ? page : '<project/>')(request, response);
    expect((await get(repository, { ...pom, good: '' })).text).toBe('<project/>');
    upstream.answer = serving(page);
    const report = await get(repository, { ...pom, path: 'g/a/1.0/a-1.0-report.html', good: '' });
    expect([report.status, report.text]).toEqual([200, page]);
  });
});
