import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import {
  addYank,
  getCargoSearch,
  getCrate,
  getCrateIndex,
  publishCrate,
  removeYank,
} from '../../functions/cargo/contracts.ts';
import { indexPathOf } from '../../functions/cargo/names.ts';
import {
  addChocolateyListing,
  addChocolateyPackage,
  getChocolateyDocument,
  getChocolateyResource,
  publishChocolateyPackage,
  removeChocolateyListing,
} from '../../functions/chocolatey/contracts.ts';
import {
  getComposerDocument,
  getComposerList,
  getComposerSearch,
  publishComposerPackage,
} from '../../functions/composer/contracts.ts';
import { getConanDocument, getConanSearch, getConanToken, publishConanFile } from '../../functions/conan/contracts.ts';
import { getDebianDocument, publishDebianPackage } from '../../functions/debian/contracts.ts';
import { getImageContent } from '../../functions/docker/contracts.ts';
import { endpoints } from '../../functions/endpoints.ts';
import { getGemsDocument, publishGem } from '../../functions/gems/contracts.ts';
import { getGoFile, publishGoModule } from '../../functions/go/contracts.ts';
import { getHelmDocument, publishChart, publishProvenance } from '../../functions/helm/contracts.ts';
import { getMavenFile, publishMavenFile } from '../../functions/maven/contracts.ts';
import { addWorkspaceMember } from '../../functions/members/contracts.ts';
import {
  checkNpmPackages,
  createNpmToken,
  getDistTags,
  getNpmDocument,
  getNpmSearch,
  publishNpmPackage,
} from '../../functions/npm/contracts.ts';
import {
  addNugetListing,
  getNugetCompletion,
  getNugetDocument,
  getNugetSearch,
  publishNugetPackage,
  removeNugetListing,
} from '../../functions/nuget/contracts.ts';
import {
  checkVersion,
  createUpload,
  createUploadUrls,
  publishPackage,
  publishUpload,
} from '../../functions/packages/contracts.ts';
import { partBytesMin } from '../../functions/packages/upload-limits.ts';
import { getPypiDocument, getPypiProject, publishPypiFile } from '../../functions/pypi/contracts.ts';
import { createRemoteRepository, updateRepository } from '../../functions/repositories/contracts.ts';
import { getRpmDocument, publishRpmPackage } from '../../functions/rpm/contracts.ts';
import { getUniversalFile } from '../../functions/universal/contracts.ts';
import { createUser, getCurrentUser } from '../../functions/users/contracts.ts';
import { authorizerRights, grantedTo, rightsOf } from '../../infra/api/rights.ts';
import { readAssembly } from '../../infra/local/assembly.ts';
import { type Right, RolePolicy } from '../../infra/local/role-policy.ts';
import { environment as variables } from '../../shared/config.ts';
import type { Contract } from '../../shared/http/contract.ts';
import { renew, renewed, signIn } from '../facts/browser-sessions.ts';
import { assemblyDirectory } from '../harness/assembly.ts';
import { sha256 } from '../harness/bytes.ts';
import { publishBodyOf } from '../harness/cargo.ts';
import { accountHeader } from '../harness/credentials.ts';
import { passADay, passADayOfImages } from '../harness/due-blobs.ts';
import { type Request, statusForAdmin } from '../harness/endpoint-facts.ts';
import { buildFixture, type Fixture, otherWays, validRequest } from '../harness/fixture.ts';
import { moduleZip } from '../harness/go.ts';
import { chartForm, chartOf, provenanceOf } from '../harness/helm.ts';
import { packed, packumentOf, publishBody } from '../harness/npm.ts';
import { publishUntilDue } from '../harness/packages.ts';
import { uploadForm, wheelName, wheelOf } from '../harness/pypi.ts';
import { handedOver } from '../harness/remote-repositories.ts';
import { createRemote, typedRepository } from '../harness/repositories.ts';
import { reachingLoopback, useService } from '../harness/service.ts';
import { replaceItems } from '../harness/stored-items.ts';
import { announced, formOf, putParts, putUpload } from '../harness/uploads.ts';
import { refusing, serving, trickling, useUpstream } from '../harness/upstream.ts';
import { firstAdmin, type Named, newPassword, uniqueName } from '../harness/world.ts';
import { packageZip } from '../types/composer.ts';
import { recipeFiles } from '../types/conan.ts';
import { debOf, debPath } from '../types/debian-files.ts';
import { gemOf } from '../types/gems.ts';
import { nupkgOf, pushForm } from '../types/nupkgs.ts';
import { rpmOf, rpmPath } from '../types/rpm-files.ts';
import { repodataOf } from '../types/rpm-upstreams.ts';
import { pushLargeBlob, requestsAboutManyImages } from './image-requests.ts';

/** Stands in for Secrets Manager, and for the place where CloudFormation waits for the answer of a custom resource. */
const outside = createServer();
const answers: unknown[] = [];
const listening = once(outside.listen(0, '127.0.0.1'), 'listening');
const outsideUrl = (): string => `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const body = await json(request);
  if (request.method === 'PUT') answers.push(body);
  response.end(JSON.stringify({ SecretString: firstAdmin.password }));
};
outside.on('request', (request, response) => void answer(request, response));

/** Long enough for a busy machine, and short enough to wait for. */
const answerMilliseconds = 8_000;
const environment: Record<string, string> = {
  ...reachingLoopback,
  [variables.upstreamAnswerMilliseconds]: `${answerMilliseconds}`,
};
beforeAll(async () => {
  await listening;
  environment.AWS_ENDPOINT_URL_SECRETS_MANAGER = outsideUrl();
});
const service = useService({ environment });
const upstream = useUpstream();
const slowUpstream = useUpstream();
const slowIndex = useUpstream();
const slowPages = useUpstream();
const slowVersions = useUpstream();
const slowRecipes = useUpstream();
const slowChecked = useUpstream();
const { functions } = readAssembly(assemblyDirectory());

const createFirstAdmin = (): Promise<unknown> =>
  service.runner.invoke('first-admin', {
    RequestType: 'Create',
    RequestId: 'request',
    StackId: 'stack',
    LogicalResourceId: 'User',
    ResponseURL: `${outsideUrl()}/answer`,
  });

/** What is done only where an index has outgrown its snapshot twice: the second compaction reads the first and removes changes. */
const requestsAboutManyVersions = async (fixture: Fixture): Promise<(readonly [Contract, Request])[]> => {
  const { client, workspace, repository, systemAdmin } = fixture;
  const maven = await typedRepository(fixture, 'maven');
  await publishUntilDue(workspace, maven, 'org.acme:many');
  const [name, posted, uploaded] = ['one', 'two', 'three'].map(uniqueName) as [string, string, string];
  for (const each of [name, posted, uploaded]) await publishUntilDue(workspace, repository, each);
  const params = { workspace: workspace.id, repository: repository.id };
  const content = JSON.stringify(publishBody(name, '2.0.0'));
  const tarball = await packed({ name: uploaded, version: '2.0.0' });
  const body = { files: [announced('package.tgz', tarball)] };
  const { id: upload, files } = await client.succeed(createUpload, { params, body, as: systemAdmin.bearer });
  for (const file of files) await putUpload(file, tarball);
  const form = formOf([{ file: 'package.tgz', content: await packed({ name: posted, version: '2.0.0' }) }]);
  return [
    [publishNpmPackage, { params: { ...params, path: name }, bytes: { content, mediaType: 'application/json' } }],
    [
      publishMavenFile,
      {
        params: { ...params, repository: maven.id, path: 'org/acme/many/2.0/many-2.0.jar' },
        bytes: { content: 'x', mediaType: 'application/octet-stream' },
      },
    ],
    [publishPackage, { params, bytes: form }],
    [publishUpload, { params: { ...params, upload } }],
    [getNpmDocument, { params: { ...params, path: name } }],
    [getNpmSearch, { params: { ...params, path: name }, query: { text: name } }],
  ];
};

/** The same of a module. */
const requestsAboutManyModuleVersions = async (fixture: Fixture): Promise<(readonly [Contract, Request])[]> => {
  const repository = await typedRepository(fixture, 'go');
  const name = `corp.example/${uniqueName()}`;
  await publishUntilDue(fixture.workspace, repository, name);
  const params = { workspace: fixture.workspace.id, repository: repository.id };
  const bytes = { content: moduleZip(name, 'v1.1.0'), mediaType: 'application/zip' };
  return [
    [publishGoModule, { params: { ...params, path: `${name}/@v/v1.1.0.zip` }, bytes }],
    [getGoFile, { params: { ...params, path: `${name}/@v/list` } }],
  ];
};

/** The same of a crate. */
const requestsAboutManyCrateVersions = async (fixture: Fixture): Promise<(readonly [Contract, Request])[]> => {
  const repository = await typedRepository(fixture, 'cargo');
  const [name, yanked, unyanked] = ['one', 'two', 'three'].map(uniqueName) as [string, string, string];
  for (const each of [name, yanked, unyanked]) await publishUntilDue(fixture.workspace, repository, each);
  const params = { workspace: fixture.workspace.id, repository: repository.id };
  const content = await publishBodyOf({ name, version: '2.0.0' });
  const ofVersion = (crate: string) => ({ params: { ...params, crate, version: '1.0.0' } });
  return [
    [publishCrate, { params, bytes: { content, mediaType: 'application/octet-stream' } }],
    [getCrateIndex, { params: { ...params, path: indexPathOf(name) } }],
    [getCargoSearch, { params, query: { q: name } }],
    [addYank, ofVersion(yanked)],
    [removeYank, ofVersion(unyanked)],
  ];
};

/** The same of a package of Composer. */
const requestsAboutManyComposerVersions = async (fixture: Fixture): Promise<(readonly [Contract, Request])[]> => {
  const repository = await typedRepository(fixture, 'composer');
  const name = `acme/${uniqueName()}`;
  await publishUntilDue(fixture.workspace, repository, name, (each, version) => [
    JSON.stringify({ name: each, version, version_normalized: `${version}.0` }),
  ]);
  const params = { workspace: fixture.workspace.id, repository: repository.id };
  const bytes = { content: packageZip({ name, version: '2.0.0' }), mediaType: 'application/zip' };
  return [
    [publishComposerPackage, { params, bytes }],
    [getComposerDocument, { params: { ...params, path: `p2/${name}.json` } }],
    [getComposerSearch, { params, query: { q: name } }],
  ];
};

/** The same of a recipe. */
const requestsAboutManyRecipes = async (fixture: Fixture): Promise<(readonly [Contract, Request])[]> => {
  const repository = await typedRepository(fixture, 'conan');
  const name = uniqueName('lib');
  await publishUntilDue(fixture.workspace, repository, name, () => ['{"files":[]}']);
  const params = { workspace: fixture.workspace.id, repository: repository.id };
  const mediaType = 'application/octet-stream';
  return [
    ...Object.entries(recipeFiles({ code: name })).map(([file, content]) => {
      const path = `${name}/2.0/_/_/revisions/1/files/${file}`;
      return [publishConanFile, { params: { ...params, path }, bytes: { content, mediaType } }] as const;
    }),
    [getConanDocument, { params: { ...params, path: `${name}/2.0/_/_/latest` } }],
    [getConanSearch, { params, query: { q: `${name}/*` } }],
  ];
};

/** Who logs in with Conan and a password gets a new token. */
const logInWithConan = async (fixture: Fixture): Promise<void> => {
  const { client, workspace, world } = fixture;
  const { username, password } = await world.systemAdmin();
  const params = { workspace: workspace.id, repository: (await typedRepository(fixture, 'conan')).id };
  expect(await client.attempt(getConanToken, { params, as: accountHeader(username, password) })).toMatchObject({
    status: 200,
  });
};

/** New packages of a repository, whose packages have the form of NuGet, with many versions. */
const manyVersionsOfNupkgs = async <const Word extends string>(
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

/** The same of a package of NuGet. */
const requestsAboutManyNugetVersions = async (fixture: Fixture): Promise<(readonly [Contract, Request])[]> => {
  const repository = await typedRepository(fixture, 'nuget');
  const listed = { id: true, unlisted: true, relisted: false };
  const { id, unlisted, relisted } = await manyVersionsOfNupkgs(fixture, repository, listed);
  const params = { workspace: fixture.workspace.id, repository: repository.id };
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

/** The same of a package of Chocolatey. */
const requestsAboutManyChocolateyVersions = async (fixture: Fixture): Promise<(readonly [Contract, Request])[]> => {
  const repository = await typedRepository(fixture, 'chocolatey');
  const listed = { id: true, other: true, unlisted: true, relisted: false };
  const { id, other, unlisted, relisted } = await manyVersionsOfNupkgs(fixture, repository, listed);
  const params = { workspace: fixture.workspace.id, repository: repository.id };
  const ofVersion = (each: string) => ({ params: { ...params, path: `${each}/1.0.0` } });
  return [
    [publishChocolateyPackage, { params, bytes: pushForm(nupkgOf({ id, version: '2.0.0' })) }],
    [addChocolateyPackage, { params, bytes: pushForm(nupkgOf({ id: other, version: '2.0.0' })) }],
    [getChocolateyDocument, { params: { ...params, path: 'FindPackagesById()' }, query: { id: `'${id}'` } }],
    [getChocolateyResource, { params: { ...params, path: `registration/${id}/index.json` } }],
    [removeChocolateyListing, ofVersion(unlisted)],
    [addChocolateyListing, ofVersion(relisted)],
  ];
};

/** The same of a gem, whose versions are in the index of the repository, too. */
const requestsAboutManyGems = async (fixture: Fixture): Promise<(readonly [Contract, Request])[]> => {
  const repository = await fixture.world.repository(fixture.workspace, undefined, 'gems');
  const name = uniqueName('gem');
  await publishUntilDue(fixture.workspace, repository, name, (each, version) => [each, `${version} |checksum:abc`]);
  const params = { workspace: fixture.workspace.id, repository: repository.id };
  const content = gemOf({ name, version: '2.0.0' });
  return [
    [publishGem, { params, bytes: { content, mediaType: 'application/octet-stream' } }],
    [getGemsDocument, { params: { ...params, path: `info/${name}` } }],
  ];
};

/** The same of packages of rpm, which are in the index of the repository alone. */
const requestsAboutManyRpmPackages = async (fixture: Fixture): Promise<(readonly [Contract, Request])[]> => {
  const repository = await fixture.world.repository(fixture.workspace, undefined, 'rpm');
  const partsOf = () => ['["0","1.0","1","00"]'];
  await publishUntilDue(fixture.workspace, repository, uniqueName('pkg'), partsOf, 'repository');
  const params = { workspace: fixture.workspace.id, repository: repository.id };
  const each = { name: uniqueName('pkg'), version: '1.0' };
  const bytes = { content: rpmOf(each), mediaType: 'application/octet-stream' };
  return [
    [publishRpmPackage, { params: { ...params, path: rpmPath(each) }, bytes }],
    [getRpmDocument, { params: { ...params, path: 'repodata/repomd.xml' } }],
  ];
};

/** The same of packages of Debian. */
const requestsAboutManyDebianPackages = async (fixture: Fixture): Promise<(readonly [Contract, Request])[]> => {
  const repository = await fixture.world.repository(fixture.workspace, undefined, 'debian');
  const partsOf = () => ['["1.0","00","Package: tool\\n"]'];
  await publishUntilDue(fixture.workspace, repository, uniqueName('pkg'), partsOf, 'repository');
  const params = { workspace: fixture.workspace.id, repository: repository.id };
  const each = { name: uniqueName('pkg'), version: '1.0' };
  const bytes = { content: debOf(each), mediaType: 'application/octet-stream' };
  return [
    [publishDebianPackage, { params: { ...params, path: debPath(each) }, bytes }],
    [getDebianDocument, { params: { ...params, path: 'dists/stable/InRelease' } }],
  ];
};

/** The same of a project in Python. */
const requestsAboutManyProjectVersions = async (fixture: Fixture): Promise<(readonly [Contract, Request])[]> => {
  const { id: repository } = await typedRepository(fixture, 'pypi');
  const each = { name: uniqueName(), version: '2.0' };
  await publishUntilDue(fixture.workspace, { id: repository }, each.name, () => ['{"filename":"file.zip"}']);
  const params = { workspace: fixture.workspace.id, repository };
  const bytes = uploadForm(wheelName(each), wheelOf(each), each);
  return [
    [publishPypiFile, { params, bytes }],
    [getPypiDocument, { params: { ...params, path: `simple/${each.name}/` } }],
    [getPypiProject, { params: { ...params, path: `${each.name}/json` } }],
  ];
};

/** The same of charts, which have one index for the whole repository. */
const requestsAboutManyCharts = async (fixture: Fixture): Promise<(readonly [Contract, Request])[]> => {
  // A new one: every chart in it counts.
  const repository = await fixture.world.repository(fixture.workspace, undefined, 'helm');
  const partsOf = () => ['{}'];
  await publishUntilDue(fixture.workspace, repository, uniqueName('chart'), partsOf, 'repository');
  const params = { workspace: fixture.workspace.id, repository: repository.id };
  const chart = { name: uniqueName('chart'), version: '1.0.0' };
  const file = await chartOf(chart);
  return [
    [publishChart, { params, bytes: chartForm({ chart: file }) }],
    [publishProvenance, { params, bytes: chartForm({ prov: provenanceOf(chart, file) }) }],
    [getHelmDocument, { params: { ...params, path: 'index.yaml' } }],
  ];
};

/** An upload whose bytes are stored, but not published: the next try gives up its own copy of them. */
const publishLargeUpload = async ({ client, workspace, universal, systemAdmin: { bearer: as } }: Fixture) => {
  const bytes = randomBytes(9 * 1024 * 1024);
  const params = { workspace: workspace.id, repository: universal.id };
  const body = { packageName: 'large', packageVersion: '1.0.0', files: [announced('file', bytes)] };
  const { id: upload, files } = await client.succeed(createUpload, { params, body, as });
  for (const file of files) await putUpload(file, bytes);
  const { id: functionId } = publishUpload;
  service.proxy.inject({ functionId, fault: 'server-error', operation: 'TransactWriteItems', after: 1, times: 6 });
  const complete = async () => (await client.attempt(publishUpload, { params: { ...params, upload }, as })).status;
  expect([await complete(), await complete()]).toEqual([503, 201]);
};

/** Files in parts: one that is not what was announced is given up; one whose verified bytes were swept is verified again. */
const publishParts = async ({ client, workspace, universal, systemAdmin: { bearer: as } }: Fixture) => {
  const content = randomBytes(partBytesMin + 1);
  const params = { workspace: workspace.id, repository: universal.id };
  const arrived = async (packageName: string, file: ReturnType<typeof announced>): Promise<string> => {
    const body = { packageName, packageVersion: '1.0.0', partSizeInBytes: partBytesMin, files: [file] };
    const { id: upload } = await client.succeed(createUpload, { params, body, as });
    const { files } = await client.succeed(createUploadUrls, { params: { ...params, upload }, as });
    for (const each of files) await putParts(each, content);
    return upload;
  };
  const complete = async (upload: string) =>
    (await client.attempt(publishUpload, { params: { ...params, upload }, as })).status;
  expect(await complete(await arrived('wrong', announced('file', randomBytes(partBytesMin + 1))))).toBe(400);
  const swept = await arrived('swept', announced('file', content));
  const { id: functionId } = publishUpload;
  service.proxy.inject({ functionId, fault: 'server-error', operation: 'TransactWriteItems', times: 6 });
  expect(await complete(swept)).toBe(503);
  await passADay();
  expect(await service.runner.runScheduled('sweeper')).toBe(true);
  expect(await complete(swept)).toBe(201);
};

/** A login with a wrong password, which is counted. */
const failLogin = async ({ client, workspace, repository }: Fixture) => {
  const params = { workspace: workspace.id, repository: repository.id, path: 'org.couchdb.user:anybody' };
  const content = JSON.stringify({ name: 'anybody', password: newPassword() });
  const { status } = await client.attempt(createNpmToken, {
    params,
    bytes: { content, mediaType: 'application/json' },
  });
  expect(status).toBe(401);
};

/** A renewal with a cookie that was replaced twice, which ends the session. */
const copyCookie = async ({ client, targetUser }: Fixture) => {
  const { cookie } = await signIn(client, targetUser);
  await renewed(client, (await renewed(client, cookie)).cookie);
  expect((await renew(client, cookie)).status).toBe(401);
};

/** How files of a package type are fetched: the endpoint, the URL of the upstream, the path of a file, what else is asked. */
interface Fetching {
  readonly contract: Contract;
  readonly remoteRepositoryUrl: () => string;
  readonly paramsOf: (file: string, large: Uint8Array) => Readonly<Record<string, string>>;
  /** The large file is needed where an index has its hash. */
  readonly answering: (file: RequestListener, large: Uint8Array) => RequestListener;
}

const nugetResources = () =>
  ['PackageBaseAddress/3.0.0', 'RegistrationsBaseUrl/3.6.0', 'SearchQueryService'].map((type) => ({
    '@id': `${upstream.url}/${type}`,
    '@type': type,
  }));

const fetchings: Readonly<
  Record<
    | 'universal'
    | 'npm'
    | 'go'
    | 'cargo'
    | 'composer'
    | 'conan'
    | 'gems'
    | 'pypi'
    | 'rpm'
    | 'debian'
    | 'maven'
    | 'helm'
    | 'nuget'
    | 'chocolatey'
    | 'docker',
    Fetching
  >
> = {
  docker: {
    contract: getImageContent,
    remoteRepositoryUrl: () => upstream.url,
    paramsOf: (file, large) => ({ path: `tool/blobs/sha256:${sha256(file === 'large' ? large : file)}` }),
    answering: (file) => file,
  },
  go: {
    contract: getGoFile,
    remoteRepositoryUrl: () => upstream.url,
    paramsOf: (file) => ({ path: `corp.example/tool/@v/v1.0.0-${file}.zip` }),
    answering: (file) => file,
  },
  pypi: {
    contract: getPypiDocument,
    remoteRepositoryUrl: () => upstream.url,
    paramsOf: (file) => ({ path: `files/tool/unknown/${file}.zip` }),
    answering: (file) => (request, response) => {
      const links = ['small', 'large', 'broken', 'slow'].map((end) => `<a href="/${end}.zip">${end}.zip</a>`);
      const isPage = request.url?.startsWith('/simple/') ?? false;
      (isPage ? serving(['<h1>Links for tool</h1>', ...links].join('')) : file)(request, response);
    },
  },
  helm: {
    contract: getHelmDocument,
    remoteRepositoryUrl: () => upstream.url,
    paramsOf: (file) => ({ path: `charts/tool-1.0.0-${file}.tgz` }),
    answering: (file) => (request, response) => {
      const entries = ['small', 'large', 'broken', 'slow'].map((end) => ({
        name: 'tool',
        version: `1.0.0-${end}`,
        urls: [`tool-${end}.tgz`],
      }));
      const isIndex = request.url === '/index.yaml';
      const index = serving(JSON.stringify({ apiVersion: 'v1', entries: { tool: entries } }));
      (isIndex ? index : file)(request, response);
    },
  },
  nuget: {
    contract: getNugetDocument,
    remoteRepositoryUrl: () => upstream.url,
    paramsOf: (file) => ({ path: `v3/flat/tool/1.0.0-${file}/tool.1.0.0-${file}.nupkg` }),
    answering: (file) => (request, response) => {
      const index = serving(JSON.stringify({ resources: nugetResources() }));
      (request.url === '/index.json' ? index : file)(request, response);
    },
  },
  conan: {
    contract: getConanDocument,
    remoteRepositoryUrl: () => upstream.url,
    paramsOf: (file) => ({ path: `tool/1.0/_/_/revisions/1/files/${file}` }),
    answering: (file) => (request, response) =>
      (request.url?.endsWith('/authenticate') ? serving('token') : file)(request, response),
  },
  chocolatey: {
    contract: getChocolateyDocument,
    remoteRepositoryUrl: () => `${upstream.url}/api/v2/`,
    paramsOf: (file) => ({ path: `package/tool/1.0.0-${file}` }),
    answering: (file) => (request, response) => {
      const entries = ['small', 'large', 'broken', 'slow'].map(
        (end) =>
          `<entry><title>tool</title><content src="${upstream.url}/${end}"/><properties><Version>1.0.0-${end}</Version></properties></entry>`,
      );
      const isFeed = request.url?.includes('FindPackagesById') ?? false;
      (isFeed ? serving(`<feed>${entries.join('')}</feed>`) : file)(request, response);
    },
  },
  universal: {
    contract: getUniversalFile,
    remoteRepositoryUrl: () => `${upstream.url}/{package-name}/{version}/{file}`,
    paramsOf: (file) => ({ path: `tool/1/${file}` }),
    answering: (file) => file,
  },
  maven: {
    contract: getMavenFile,
    remoteRepositoryUrl: () => upstream.url,
    paramsOf: (file) => ({ path: `org/acme/tool/1.0/tool-1.0-${file}.jar` }),
    answering: (file) => (request, response) =>
      (request.url?.endsWith('.sha1') ? refusing(404) : file)(request, response),
  },
  npm: {
    contract: getNpmDocument,
    remoteRepositoryUrl: () => upstream.url,
    paramsOf: (file) => ({ path: `tool/-/tool-1.0.0-${file}.tgz` }),
    answering: (file) => (request, response) => {
      const versions = Object.fromEntries(
        ['small', 'large', 'broken', 'slow'].map((end) => [`1.0.0-${end}`, { dist: {} }]),
      );
      const isFile = request.url?.includes('/-/') ?? false;
      const packument = serving(JSON.stringify(packumentOf(upstream.url, request.url?.slice(1) ?? '', versions)));
      (isFile ? file : packument)(request, response);
    },
  },
  composer: {
    contract: getComposerDocument,
    remoteRepositoryUrl: () => upstream.url,
    paramsOf: (file) => ({ path: `dist/acme/tool/1.0.0/${file}.zip` }),
    answering: (file) => (request, response) => {
      const versions = ['small', 'large', 'broken', 'slow'].map((end) => ({
        name: 'acme/tool',
        version: '1.0.0',
        dist: { type: 'zip', url: `${upstream.url}/${end}`, reference: end },
      }));
      const documents: Readonly<Record<string, RequestListener>> = {
        '/packages.json': serving('{"metadata-url":"/p2/%package%.json","search":"/s?q=%query%","list":"/l"}'),
        '/p2/acme/tool.json': serving(JSON.stringify({ packages: { 'acme/tool': versions } })),
      };
      (documents[request.url ?? ''] ?? file)(request, response);
    },
  },
  debian: {
    contract: getDebianDocument,
    remoteRepositoryUrl: () => upstream.url,
    paramsOf: (file) => ({ path: `pool/main/t/tool/tool_1.0-${file}_all.deb` }),
    answering: (file) => file,
  },
  rpm: {
    contract: getRpmDocument,
    remoteRepositoryUrl: () => upstream.url,
    paramsOf: (file) => ({ path: `Packages/tool-1.0-${file}.noarch.rpm` }),
    answering: (file, large) => (request, response) => {
      const contents = { small: 'small', large, broken: '', slow: 'slow' };
      const packages = Object.entries(contents).map(
        ([end, content]) => [`Packages/tool-1.0-${end}.noarch.rpm`, content] as const,
      );
      const list = repodataOf(Object.fromEntries(packages))[request.url?.slice(1) ?? ''];
      (list === undefined ? file : serving(list))(request, response);
    },
  },
  gems: {
    contract: getGemsDocument,
    remoteRepositoryUrl: () => upstream.url,
    paramsOf: (file) => ({ path: `gems/tool-1.0.0.${file}.gem` }),
    answering: (file, large) => (request, response) => {
      const contents = { small: 'small', large, broken: '', slow: 'slow' };
      const lines = Object.entries(contents).map(([end, content]) => `1.0.0.${end} |checksum:${sha256(content)}\n`);
      (request.url === '/info/tool' ? serving(`---\n${lines.join('')}`) : file)(request, response);
    },
  },
  cargo: {
    contract: getCrate,
    remoteRepositoryUrl: () => upstream.url,
    paramsOf: (file) => ({ crate: 'tool', version: `1.0.0-${file}` }),
    answering: (file, large) => (request, response) => {
      const contents = { small: 'small', large, broken: '', slow: 'slow' };
      const lines = Object.entries(contents).map(([end, content]) =>
        JSON.stringify({ name: 'tool', vers: `1.0.0-${end}`, cksum: sha256(content) }),
      );
      const documents: Readonly<Record<string, RequestListener>> = {
        '/config.json': serving(JSON.stringify({ dl: `${upstream.url}/files` })),
        '/to/ol/tool': serving(lines.join('\n')),
      };
      (documents[request.url ?? ''] ?? file)(request, response);
    },
  },
};

/** The bytes with which a file begins, where the index of its type promises nothing of it. */
const beginnings: Readonly<Record<string, readonly number[]>> = {
  composer: [0x50, 0x4b],
  debian: [...Buffer.from('!<arch>\n')],
  go: [0x50, 0x4b],
  pypi: [0x50, 0x4b],
  nuget: [0x50, 0x4b],
  chocolatey: [0x50, 0x4b],
  npm: [0x1f, 0x8b],
  helm: [0x1f, 0x8b],
};

/**
 * How a file is fetched: once it is small, once large, once its transfer breaks off, once it is stored already but not
 * committed. Returns the remote repository.
 */
const fetchFiles = async (
  { workspace, systemAdmin }: Fixture,
  packageType: keyof typeof fetchings,
  fetching = fetchings[packageType],
): Promise<Named> => {
  const beginning = Buffer.from(beginnings[packageType] ?? []);
  const beginningWith = (content: string): Buffer => Buffer.concat([beginning, Buffer.from(content)]);
  const large = Buffer.concat([beginning, randomBytes(9 * 1024 * 1024)]);
  const { contract, remoteRepositoryUrl, paramsOf, ...type } = fetching;
  const answering = (file: RequestListener) => type.answering(file, large);
  const passwords = { remoteRepositoryUsername: 'ci', remoteRepositoryPassword: newPassword() };
  const fields = { packageType, remoteRepositoryUrl: remoteRepositoryUrl(), fileCacheTimeTillRevalidation: 1 };
  const remote = await createRemote(service, workspace, { ...fields, ...passwords });
  const get = async (file: string) => {
    const params = { workspace: workspace.id, repository: remote.id, ...paramsOf(file, large) };
    return (await service.client.attempt(contract, { params, as: systemAdmin.bearer })).status;
  };
  upstream.answer = answering(serving(beginningWith('small')));
  expect([await get('small'), await get('small')]).toEqual([200, 200]);
  upstream.answer = answering(serving(large));
  const fault = { fault: 'server-error', operation: 'TransactWriteItems', after: 1, times: 6 } as const;
  service.proxy.inject({ functionId: contract.id, ...fault });
  expect([await get('large'), await get('large')]).toEqual([503, 302]);
  upstream.answer = answering((_, response) => {
    response.writeHead(200, { 'Content-Length': String(large.length * 2) });
    response.write(large, () => response.destroy());
  });
  expect(await get('broken')).toBe(502);
  // It announces more than can come in time. The worker gets another answer.
  let asked = 0;
  upstream.answer = answering((request, response) => {
    asked += 1;
    if (asked > 1) serving(beginningWith('slow'))(request, response);
    else response.writeHead(200, { 'Content-Length': String(10 ** 9) }).flushHeaders();
  });
  expect([await get('slow'), asked]).toEqual([200, 2]);
  return remote;
};

/** The same by the worker, which goes on where a request has no time. */
const fetchInWorker = async ({ workspace }: Fixture, remote: Named): Promise<void> => {
  const functionId = 'fetcher';
  const large = randomBytes(9 * 1024 * 1024);
  const work = async (file: string) =>
    service.runner.invoke(functionId, await handedOver(workspace, remote, upstream, file));
  upstream.answer = refusing(404);
  await work('absent');
  upstream.answer = serving(large);
  service.proxy.inject({ functionId, fault: 'server-error', operation: 'TransactWriteItems', after: 1, times: 6 });
  await expect(work('large')).rejects.toThrow();
  await work('large');
  upstream.answer = (_, response) => {
    response.writeHead(200, { 'Content-Length': String(large.length * 2) });
    response.write(large, () => response.destroy());
  };
  await work('broken');
};

/** How the dist-tags of a packument are read that takes longer than a request: by the worker, and then from what it staged. */
const readSlowTags = async ({ client, workspace, systemAdmin }: Fixture): Promise<void> => {
  const packument = JSON.stringify(packumentOf(slowUpstream.url, 'slow', { '1.0.0': {} }));
  slowUpstream.answer = trickling(1.1 * answerMilliseconds, (response) => void response.end(packument), ' ');
  const { id: repository } = await createRemote(service, workspace, { remoteRepositoryUrl: slowUpstream.url });
  const params = { workspace: workspace.id, repository, path: 'slow/dist-tags' };
  const read = async () => (await client.attempt(getDistTags, { params, as: systemAdmin.bearer })).status;
  const statuses = [await read()];
  while (statuses.at(-1) === 503) statuses.push(await read());
  expect([statuses[0], statuses.at(-1)]).toEqual([503, 200]);
};

/** How an index of crates is read that takes longer than a request, and is too large for an answer. */
const readSlowIndex = async ({ client, workspace, systemAdmin }: Fixture): Promise<void> => {
  const lines = Array.from({ length: 46 }, (_, patch) =>
    JSON.stringify({ name: 'slow', vers: `1.0.${patch}`, links: 'x'.repeat(100_000) }),
  );
  slowIndex.answer = trickling(1.1 * answerMilliseconds, (response) => void response.end(lines.join('\n')), ' ');
  const { id: repository } = await createRemote(service, workspace, {
    packageType: 'cargo',
    remoteRepositoryUrl: slowIndex.url,
    remoteRepositoryPassword: newPassword(),
  });
  const params = { workspace: workspace.id, repository, path: 'sl/ow/slow' };
  await waitFor(client, getCrateIndex, { params, as: systemAdmin.bearer });
};

/** Asks again as long as an upstream is still sending, until the answer is where a large document is. */
const waitFor = async (client: Fixture['client'], contract: Contract, request: Request & { as: string }) => {
  let location = '';
  for (let wait = 0; location === '' || location.includes('wait='); wait += 1) {
    const reply = await client.attempt(contract, { ...request, query: wait === 0 ? {} : { wait } });
    expect(reply.status).toBe(302);
    location = String(reply.headers.location);
  }
};

/** The same of metadata of a project in Python. */
const readSlowProject = async ({ client, workspace, systemAdmin }: Fixture): Promise<void> => {
  const files = Array.from({ length: 46 }, (_, patch) => ({
    filename: wheelName({ name: 'slow', version: `1.0.${patch}` }),
    url: `../${patch}`,
    hashes: { sha256: 'a'.repeat(64) },
    'requires-python': 'x'.repeat(100_000),
  }));
  const page = JSON.stringify({ meta: { 'api-version': '1.0' }, name: 'slow', files });
  slowPages.answer = trickling(1.1 * answerMilliseconds, (response) => void response.end(page), ' ');
  const { id: repository } = await createRemote(service, workspace, {
    packageType: 'pypi',
    remoteRepositoryUrl: slowPages.url,
    remoteRepositoryPassword: newPassword(),
  });
  const params = { workspace: workspace.id, repository, path: 'slow/json' };
  await waitFor(client, getPypiProject, { params, as: systemAdmin.bearer });
};

/** The same of the versions of a package of NuGet. */
const readSlowVersions = async ({ client, workspace, systemAdmin }: Fixture): Promise<void> => {
  const resources = [{ '@id': `${slowVersions.url}/`, '@type': 'RegistrationsBaseUrl' }];
  const registration = '{"items":[{"items":[{"catalogEntry":{"id":"slow","version":"1.0.0"}}]}]}';
  const slow = trickling(1.1 * answerMilliseconds, (response) => void response.end(registration), ' ');
  slowVersions.answer = (request, response) =>
    (request.url === '/index.json' ? serving(JSON.stringify({ resources })) : slow)(request, response);
  const fields = { packageType: 'nuget', remoteRepositoryUrl: slowVersions.url } as const;
  const { id: repository } = await createRemote(service, workspace, {
    ...fields,
    remoteRepositoryPassword: newPassword(),
  });
  const params = { workspace: workspace.id, repository };
  const as = systemAdmin.bearer;
  const read = async () => (await client.attempt(getNugetCompletion, { params, query: { id: 'slow' }, as })).status;
  const statuses = [await read()];
  while (statuses.at(-1) === 503) statuses.push(await read());
  expect([statuses[0], statuses.at(-1)]).toEqual([503, 200]);
};

/** The same of the recipes of a package of Conan. */
const readSlowRecipes = async ({ client, workspace, systemAdmin }: Fixture): Promise<void> => {
  const end = (response: ServerResponse) => void response.end('{"results":["slow/1.0"]}');
  slowRecipes.answer = trickling(1.1 * answerMilliseconds, end, ' ');
  const fields = { packageType: 'conan', remoteRepositoryUrl: slowRecipes.url } as const;
  const { id: repository } = await createRemote(service, workspace, fields);
  const params = { workspace: workspace.id, repository };
  const as = systemAdmin.bearer;
  const read = async () => (await client.attempt(getConanSearch, { params, query: { q: 'slow/*' }, as })).status;
  const statuses = [await read()];
  while (statuses.at(-1) === 503) statuses.push(await read());
  expect([statuses[0], statuses.at(-1)]).toEqual([503, 200]);
};

/** The same of the packument that says when a version was published, which is checked. */
const checkSlowVersion = async ({ client, workspace, systemAdmin }: Fixture): Promise<void> => {
  const packument = JSON.stringify(packumentOf(slowChecked.url, 'slow', { '1.0.0': {} }));
  slowChecked.answer = trickling(1.1 * answerMilliseconds, (response) => void response.end(packument), ' ');
  const { id: repository } = await createRemote(service, workspace, {
    remoteRepositoryUrl: slowChecked.url,
    remoteRepositoryPassword: newPassword(),
    releaseGate: { minimumAgeHours: 1 },
  });
  const request = { params: { workspace: workspace.id, repository }, as: systemAdmin.bearer };
  const check = async () =>
    (await client.attempt(checkVersion, { ...request, body: { packageName: 'slow', version: '1.0.0' } })).status;
  const statuses = [await check()];
  while (statuses.at(-1) === 503) statuses.push(await check());
  expect([statuses[0], statuses.at(-1), await check()]).toEqual([503, 200, 200]);
};

/** An upstream that gives no answer, which is counted. */
const hangingUp: RequestListener = (request) => void request.destroy();

/**
 * How dist-tags of an upstream are read, and a version is checked: of a packument that another function has kept, and of one that nobody has. Then a
 * search, and an audit, make the upstream ask for a pause.
 */
const fetchMetadata = async ({ workspace, systemAdmin }: Fixture, { id: repository }: Named): Promise<void> => {
  for (const path of ['tool/dist-tags', 'another/dist-tags'])
    await service.client.call(getDistTags, {
      params: { workspace: workspace.id, repository, path },
      as: systemAdmin.bearer,
    });
  const params = { workspace: workspace.id, repository };
  const body = { packageName: 'tool', version: '1.0.0' };
  await service.client.call(checkVersion, { params, body, as: systemAdmin.bearer });
  for (const outage of [hangingUp, refusing(429)]) {
    upstream.answer = outage;
    await service.client.call(getNpmSearch, { params, query: { text: 'tool' }, as: systemAdmin.bearer });
  }
  const { id } = await createRemote(service, workspace, {
    remoteRepositoryUrl: upstream.url,
    remoteRepositoryPassword: newPassword(),
  });
  const audited = { ...params, repository: id, path: 'advisories/bulk' };
  for (const outage of [hangingUp, refusing(429)]) {
    upstream.answer = outage;
    const bytes = { content: '{"tool":["1.0.0"]}', mediaType: 'application/json' };
    await service.client.attempt(checkNpmPackages, { params: audited, bytes, as: systemAdmin.bearer });
  }
};

/** The same of a search for crates. */
const pauseCrateSearch = async ({ workspace, systemAdmin }: Fixture, { id: repository }: Named): Promise<void> => {
  const params = { workspace: workspace.id, repository };
  for (const outage of [hangingUp, refusing(429)]) {
    upstream.answer = outage;
    await service.client.call(getCargoSearch, { params, query: { q: 'tool' }, as: systemAdmin.bearer });
  }
};

/** The same of searches for packages of Composer, and of lists of their names. */
const pauseComposerSearches = async ({ workspace, systemAdmin }: Fixture, { id: repository }: Named): Promise<void> => {
  const fields = { packageType: 'composer', remoteRepositoryUrl: upstream.url } as const;
  const other = await createRemote(service, workspace, { ...fields, remoteRepositoryPassword: newPassword() });
  const paramsOf = (id: string) => ({ workspace: workspace.id, repository: id });
  const as = systemAdmin.bearer;
  for (const outage of [hangingUp, refusing(429)]) {
    upstream.answer = outage;
    await service.client.call(getComposerSearch, { params: paramsOf(repository), query: { q: 'tool' }, as });
    await service.client.call(getComposerList, { params: paramsOf(other.id), query: { filter: 'tool*' }, as });
  }
};

/** The same of searches for recipes, of one package and of several, and of what is asked about a recipe. */
const pauseConanSearches = async ({ workspace, systemAdmin }: Fixture, { id }: Named): Promise<void> => {
  const params = { workspace: workspace.id, repository: id };
  const as = systemAdmin.bearer;
  // More than an answer may have, compressed, so that it is redirected to.
  const results = Array.from({ length: 90_000 }, () => `tool/1.0.${randomBytes(60).toString('base64url')}`);
  upstream.answer = serving(JSON.stringify({ results }));
  for (const q of ['tool/*', 'tool*']) await service.client.call(getConanSearch, { params, query: { q }, as });
  for (const outage of [hangingUp, refusing(429)]) {
    upstream.answer = outage;
    await service.client.call(getConanSearch, { params, query: { q: 'other/*' }, as });
    await service.client.call(getConanSearch, { params, query: { q: 'other*' }, as });
  }
};

/** The same of searches for packages of NuGet, and of completing their names and versions. */
const pauseNugetSearches = async (fixture: Fixture, { id: repository }: Named): Promise<void> => {
  const { workspace, systemAdmin } = fixture;
  const as = systemAdmin.bearer;
  const fields = {
    packageType: 'nuget',
    remoteRepositoryUrl: upstream.url,
    remoteRepositoryPassword: newPassword(),
  } as const;
  const other = await createRemote(service, workspace, fields);
  const paramsOf = (id: string) => ({ workspace: workspace.id, repository: id });
  for (const outage of [hangingUp, refusing(429)]) {
    upstream.answer = outage;
    await service.client.call(getNugetSearch, { params: paramsOf(repository), query: { q: 'tool' }, as });
    await service.client.call(getNugetCompletion, { params: paramsOf(other.id), query: { q: 'tool' }, as });
  }
};

const nameOf = ({ action, resource }: Right): string => `${action} on ${resource}`;

/** The rights of a role without which at least one call of the function would have been refused. */
const neededRights = (id: string): Set<string> =>
  new Set(
    service.accesses
      .filter(({ functionId, rights }) => functionId === id && rights.length === 1)
      .flatMap(({ rights }) => rights.map(nameOf)),
  );

/** The actions that only the code of the last release needs: its versions run until the aliases have moved. */
const keptForLastRelease = (id: string): Set<string> => {
  const endpoint = endpoints.find((each) => each.id === id);
  const needed = id === 'authorizer' ? authorizerRights : endpoint && rightsOf(endpoint);
  if (!needed) return new Set();
  const granted = grantedTo(id, needed);
  const table = granted.table.filter((action) => !needed.table.includes(action)).map((action) => `dynamodb:${action}`);
  const store = granted.store
    .filter((right) => !needed.store.includes(right))
    .map((right) => `s3:${right.replace(/ .*/, '')}`);
  const key = granted.encrypts && !needed.encrypts ? ['kms:Encrypt'] : [];
  return new Set([...table, ...store, ...key]);
};

afterAll(() => outside.close());

describe('The role of each function allows what the function does, and nothing else', () => {
  it('the first system admin is created by the function of the deployment, once', async () => {
    await replaceItems([]);
    await createFirstAdmin();
    await createFirstAdmin();
    expect(answers).toMatchObject([{ Status: 'SUCCESS' }, { Status: 'SUCCESS' }]);
    const as = accountHeader('admin', firstAdmin.password);
    expect(await service.client.succeed(getCurrentUser, { as })).toMatchObject({ userRole: 'system-admin' });
  });

  it('every function does all that it ever does, and nothing is refused', async () => {
    const fixture = await buildFixture(service);
    const succeed = async (contract: Contract, request: Request) => {
      const { status, text } = await service.client.attempt(contract, { ...request, as: fixture.systemAdmin.bearer });
      const isWanted = status < 300 || status === statusForAdmin(contract);
      expect([contract.id, isWanted, text]).toEqual([contract.id, true, text]);
    };
    // They take all fetches that a workspace may have at once.
    const waiting = { ...fixture, workspace: await service.world.workspace() };
    const slowReads = Promise.all([
      readSlowTags(waiting),
      readSlowIndex(waiting),
      readSlowProject(waiting),
      readSlowVersions(waiting),
      readSlowRecipes(waiting),
    ]);
    for (const contract of endpoints) await succeed(contract, await validRequest(contract, fixture));
    for (const contract of endpoints)
      for (const make of otherWays(contract)) await succeed(contract, await make(fixture));
    for (const requests of [
      requestsAboutManyVersions,
      requestsAboutManyModuleVersions,
      requestsAboutManyCrateVersions,
      requestsAboutManyComposerVersions,
      requestsAboutManyRecipes,
      requestsAboutManyChocolateyVersions,
      requestsAboutManyGems,
      requestsAboutManyRpmPackages,
      requestsAboutManyDebianPackages,
      requestsAboutManyNugetVersions,
      requestsAboutManyProjectVersions,
      requestsAboutManyCharts,
      requestsAboutManyImages,
    ])
      for (const [contract, request] of await requests(fixture)) await succeed(contract, request);
    await fetchInWorker(fixture, await fetchFiles(fixture, 'universal'));
    await fetchFiles(fixture, 'maven');
    await fetchMetadata(fixture, await fetchFiles(fixture, 'npm'));
    await pauseCrateSearch(fixture, await fetchFiles(fixture, 'cargo'));
    await pauseComposerSearches(fixture, await fetchFiles(fixture, 'composer'));
    await pauseNugetSearches(fixture, await fetchFiles(fixture, 'nuget'));
    await pauseConanSearches(fixture, await fetchFiles(fixture, 'conan'));
    await fetchFiles(fixture, 'chocolatey');
    await fetchFiles(fixture, 'chocolatey', {
      ...fetchings.nuget,
      contract: getChocolateyResource,
      paramsOf: (file) => ({ path: `flat/tool/1.0.0-${file}/tool.1.0.0-${file}.nupkg` }),
    });
    await fetchFiles(fixture, 'gems');
    await fetchFiles(fixture, 'rpm');
    await fetchFiles(fixture, 'debian');
    await fetchFiles(fixture, 'go');
    await fetchFiles(fixture, 'pypi');
    await fetchFiles(fixture, 'helm');
    await fetchFiles(fixture, 'docker');
    await publishLargeUpload(fixture);
    await publishParts(fixture);
    expect(await pushLargeBlob(service, fixture)).toEqual([503, 201]);
    await failLogin(fixture);
    await logInWithConan(fixture);
    await copyCookie(fixture);
    await slowReads;
    await checkSlowVersion(waiting);
    // The user of its valid request is a member before.
    const { workspace, stranger } = fixture;
    await succeed(addWorkspaceMember, { params: { workspace: workspace.id }, body: { userId: stranger.userId } });
    // A new System Admin is counted, too.
    await succeed(createUser, { body: { username: uniqueName(), password: newPassword(), userRole: 'system-admin' } });
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    await passADay();
    await passADayOfImages();
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    service.proxy.inject({ functionId: 'sweeper', fault: 'server-error' });
    expect(await service.runner.runScheduled('sweeper')).toBe(false);
    expect(service.accesses.filter(({ isAllowed }) => !isAllowed)).toEqual([]);
  }, 300_000);

  it.each(functions.map(({ id, statements }) => [id, statements] as const))(
    'no right of %s is unused',
    (id, statements) => {
      const needed = neededRights(id);
      const before = keptForLastRelease(id);
      const unused = new RolePolicy(statements).rights
        .filter(({ action }) => !before.has(action))
        .map(nameOf)
        .filter((right) => !needed.has(right));
      expect(unused).toEqual([]);
    },
  );

  it('only the functions that store passwords of upstreams may encrypt, only those that ask upstreams decrypt, and only those that sign sign', () => {
    const ofKeys = functions.flatMap(({ id, statements }) =>
      new RolePolicy(statements).rights
        .filter(({ action }) => /^(kms:|\*)/.test(action))
        .map(({ action }) => `${action} ${id}`),
    );
    const fetching = ['fetcher', ...endpoints.filter(({ decrypts }) => decrypts).map(({ id }) => id)].map(
      (id) => `kms:Decrypt ${id}`,
    );
    const storing = [createRemoteRepository, updateRepository].map(({ id }) => `kms:Encrypt ${id}`);
    const signing = endpoints
      .filter(({ signs }) => signs)
      .flatMap(({ id }) => [`kms:GetPublicKey ${id}`, `kms:Sign ${id}`]);
    const byName = (one: string, other: string): number => one.localeCompare(other);
    expect(ofKeys.toSorted(byName)).toEqual([...fetching, ...storing, ...signing].toSorted(byName));
  });

  it('only the functions that hand work over may let a function run, and only the one that goes on with it', () => {
    const arnOf = (id: string) => functions.find((each) => each.id === id)?.arn;
    const invoking = functions.flatMap(({ id, statements }) =>
      new RolePolicy(statements).rights
        .filter(({ action }) => /^(lambda:|\*)/.test(action))
        .map(({ action, resource }) => [id, action, resource]),
    );
    const expected = endpoints.flatMap(({ id, invokes = [] }) =>
      invokes.map((invoked) => [id, 'lambda:InvokeFunction', arnOf(invoked)]),
    );
    expect(invoking).toEqual(expected);
    expect(new Set(invoking.map(([, , arn]) => arn)).size).toBe(2);
  });
});
