import type { RequestListener } from 'node:http';
import {
  addNugetListing,
  getNugetCompletion,
  getNugetDocument,
  getNugetSearch,
  getNugetVulnerabilities,
  publishNugetPackage,
  removeNugetListing,
} from '../../../functions/nuget/contracts.ts';
import { answerBytesMax } from '../../../shared/packages/serve/document-answers.ts';
import { randomText } from '../../harness/bytes.ts';
import type { Fixture } from '../../harness/fixture.ts';
import { publishUntilDue } from '../../harness/packages.ts';
import { createRemote, typedRepository } from '../../harness/repositories.ts';
import { serving, trickling } from '../../harness/upstream.ts';
import { type Named, newPassword, uniqueName } from '../../harness/world.ts';
import { nupkgOf, pushForm } from '../../types/nupkgs.ts';
import {
  duringOutages,
  type Fetching,
  placeIn,
  type RightsScenario,
  slowMilliseconds,
  untilAnswered,
  untilRedirected,
} from './scenario.ts';

/** New packages of a repository, whose packages have the form of NuGet, with many versions. */
export const manyVersionsOfNupkgs = async <const Word extends string>(
  { workspace }: Fixture,
  repository: Named,
  isListed: Readonly<Record<Word, boolean>>,
): Promise<Readonly<Record<Word, string>>> => {
  const ids = Object.entries<boolean>(isListed).map(async ([word, listed]) => {
    const id = uniqueName(word);
    await publishUntilDue(workspace, repository, id, (name, version) => [
      JSON.stringify({ id: name, version, listed }),
    ]);
    return [word, id];
  });
  return Object.fromEntries(await Promise.all(ids)) as Readonly<Record<Word, string>>;
};

const manyVersions: RightsScenario['manyVersions'] = async (fixture) => {
  const repository = await typedRepository(fixture, 'nuget');
  const listed = { id: true, unlisted: true, relisted: false };
  const { id, unlisted, relisted } = await manyVersionsOfNupkgs(fixture, repository, listed);
  const params = placeIn(fixture, repository);
  const ofVersion = (each: string) => ({ params: { ...params, package: each, version: '1.0.0' } });
  return [
    [publishNugetPackage, { params, bytes: pushForm(nupkgOf({ id, version: '2.0.0' })) }],
    [getNugetDocument, { params: { ...params, path: `v3/registration/${id}/index.json` } }],
    [getNugetSearch, { params, query: { q: id } }],
    [getNugetCompletion, { params, query: { q: id } }],
    [getNugetCompletion, { params, query: { id } }],
    [removeNugetListing, ofVersion(unlisted)],
    [addNugetListing, ofVersion(relisted)],
  ];
};

const serviceIndex = (url: string, types: readonly string[]) =>
  serving(JSON.stringify({ resources: types.map((type) => ({ '@id': `${url}/${type}`, '@type': type })) }));

/** How a file is fetched from an upstream with a service index of NuGet. */
export const nupkgFetching: Fetching & { readonly beginning: Buffer } = {
  contract: getNugetDocument,
  beginning: Buffer.from('PK'),
  paramsOf: (file) => ({ path: `v3/flat/tool/1.0.0-${file}/tool.1.0.0-${file}.nupkg` }),
  answering: (file, _, url) => (request, response) => {
    const index = serviceIndex(url, ['PackageBaseAddress/3.0.0', 'RegistrationsBaseUrl/3.6.0', 'SearchQueryService']);
    (request.url === '/index.json' ? index : file)(request, response);
  },
};

const remoteOver = async ({
  service,
  fixture,
  upstream,
}: Parameters<NonNullable<RightsScenario['slowRead']>>[0]): Promise<Named> =>
  createRemote(service, fixture.workspace, {
    packageType: 'nuget',
    remoteRepositoryUrl: upstream.url,
    remoteRepositoryPassword: newPassword(),
  });

/** Searches, and completions of names and vulnerabilities of other repositories. */
const afterFetching: RightsScenario['afterFetching'] = async (setting, remote) => {
  const { client, systemAdmin } = setting.fixture;
  const [other, third] = [await remoteOver(setting), await remoteOver(setting)];
  const requestTo = (each: Named) => ({
    params: placeIn(setting.fixture, each),
    query: { q: 'tool' },
    as: systemAdmin.bearer,
  });
  const { params, as } = requestTo(third);
  await duringOutages(setting, async () => {
    await client.call(getNugetSearch, requestTo(remote));
    await client.call(getNugetCompletion, requestTo(other));
    await client.call(getNugetVulnerabilities, { params: { ...params, page: 'index.json' }, as });
  });
};

/** The versions of a package, and a large page of vulnerabilities. */
const slowRead: RightsScenario['slowRead'] = async (setting) => {
  const { service, fixture, upstream } = setting;
  const { url } = upstream;
  const slow = (content: string) => trickling(slowMilliseconds, (response) => void response.end(content), ' ');
  const names = ['large', ...Array.from({ length: 500 }, () => randomText(32))];
  const pages = names.map((name) => ({
    '@name': name,
    '@id': `${url}/${name}.json`,
    '@updated': '2026-01-01T00:00:00Z',
  }));
  const answers: Readonly<Record<string, RequestListener>> = {
    '/index.json': serviceIndex(url, ['RegistrationsBaseUrl', 'VulnerabilityInfo/6.7.0']),
    '/VulnerabilityInfo/6.7.0': serving(JSON.stringify(pages)),
    '/large.json': slow(JSON.stringify({ large: randomText(answerBytesMax) })),
  };
  const versions = Array.from({ length: 1_000 }, () => `1.0.0-a${randomText(32)}`);
  const entries = versions.map((version) => ({ catalogEntry: { id: 'slow', version } }));
  const registration = slow(JSON.stringify({ items: [{ items: entries }] }));
  upstream.answer = (request, response) => (answers[request.url ?? ''] ?? registration)(request, response);
  const params = placeIn(fixture, await remoteOver(setting));
  const as = fixture.systemAdmin.bearer;
  await untilAnswered(() => service.client.attempt(getNugetCompletion, { params, query: { id: 'slow' }, as }));
  await untilRedirected(setting, getNugetVulnerabilities, { params: { ...params, page: 'large.json' }, as });
  // Another repository of the workspace gets the same bytes.
  const other = placeIn(fixture, await remoteOver(setting));
  await service.client.succeed(getNugetVulnerabilities, { params: { ...other, page: 'index.json' }, as });
};

export const nugetScenario: RightsScenario = { manyVersions, fetching: nupkgFetching, afterFetching, slowRead };
