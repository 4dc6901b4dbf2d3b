import {
  checkNpmPackages,
  createNpmToken,
  getDistTags,
  getNpmDocument,
  getNpmSearch,
  publishNpmPackage,
} from '../../../functions/npm/contracts.ts';
import {
  checkVersion,
  createUpload,
  getPackage,
  getPackageVersion,
  listPackageVersions,
  publishPackage,
  publishUpload,
} from '../../../functions/packages/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { packed, packumentOf, publishBody } from '../../harness/npm.ts';
import { publishUntilDue } from '../../harness/packages.ts';
import { createRemote } from '../../harness/repositories.ts';
import { announced, formOf, putUpload } from '../../harness/uploads.ts';
import { serving, trickling } from '../../harness/upstream.ts';
import { type Named, newPassword, uniqueName } from '../../harness/world.ts';
import {
  duringOutages,
  fileWords,
  longText,
  placeIn,
  type RightsScenario,
  type Setting,
  slowMilliseconds,
  untilAnswered,
} from './scenario.ts';

const manyVersions: RightsScenario['manyVersions'] = async (fixture) => {
  const { client, workspace, repository, systemAdmin } = fixture;
  const [name, posted, uploaded] = ['one', 'two', 'three'].map(uniqueName) as [string, string, string];
  for (const each of [name, posted, uploaded]) await publishUntilDue(workspace, repository, each);
  const params = placeIn(fixture, repository);
  const content = JSON.stringify(publishBody(name, '2.0.0'));
  const tarball = await packed({ name: uploaded, version: '2.0.0' });
  const body = { files: [announced('package.tgz', tarball)] };
  const { id: upload, files } = await client.succeed(createUpload, { params, body, as: systemAdmin.bearer });
  for (const file of files) await putUpload(file, tarball);
  const form = formOf([{ file: 'package.tgz', content: await packed({ name: posted, version: '2.0.0' }) }]);
  return [
    [publishNpmPackage, { params: { ...params, path: name }, bytes: { content, mediaType: 'application/json' } }],
    [publishPackage, { params, bytes: form }],
    [publishUpload, { params: { ...params, upload } }],
    [getNpmDocument, { params: { ...params, path: name } }],
    [getNpmSearch, { params: { ...params, path: name }, query: { text: name } }],
  ];
};

/** What is said of the kept versions of a package while a release gate looks at its kept packument. */
const readGated = async ({ fixture: { client, workspace, systemAdmin } }: Setting, { id }: Named): Promise<void> => {
  const [place, as] = [{ workspace: workspace.id, repository: id }, systemAdmin.bearer];
  const gate = async (releaseGate: { minimumAgeHours: number } | null) =>
    client.succeed(updateRepository, { params: place, body: { releaseGate }, as });
  await gate({ minimumAgeHours: 1 });
  const params = { ...place, package: 'tool' };
  await client.succeed(getPackage, { params, as });
  const [kept] = await client.succeed(listPackageVersions, { params, as });
  await client.succeed(getPackageVersion, { params: { ...params, version: kept?.version ?? '' }, as });
  await gate(null);
};

/**
 * Dist-tags, and a check of a version: of a packument that another function has kept, and of one that nobody has. Then a search, and an
 * audit, make the upstream ask for a pause.
 */
const afterFetching: RightsScenario['afterFetching'] = async (setting, remote) => {
  const { service, fixture, upstream } = setting;
  const { client } = service;
  const request = { params: placeIn(fixture, remote), as: fixture.systemAdmin.bearer };
  for (const path of ['tool/dist-tags', 'another/dist-tags'])
    await client.call(getDistTags, { ...request, params: { ...request.params, path } });
  await client.call(checkVersion, { ...request, body: { packageName: 'tool', version: '1.0.0' } });
  await readGated(setting, remote);
  await duringOutages(setting, () => client.call(getNpmSearch, { ...request, query: { text: 'tool' } }));
  const audited = await createRemote(service, fixture.workspace, {
    remoteRepositoryUrl: upstream.url,
    remoteRepositoryPassword: newPassword(),
  });
  const params = { ...placeIn(fixture, audited), path: 'advisories/bulk' };
  const bytes = { content: '{"tool":["1.0.0"]}', mediaType: 'application/json' };
  await duringOutages(setting, () => client.attempt(checkNpmPackages, { ...request, params, bytes }));
};

/** The dist-tags of a packument: by the worker, and then from what it staged. */
const slowRead: RightsScenario['slowRead'] = async ({ service, fixture, upstream }) => {
  const packument = JSON.stringify(
    packumentOf(upstream.url, 'slow', { '1.0.0': { manifest: { dependencies: { other: longText } } } }),
  );
  upstream.answer = trickling(slowMilliseconds, (response) => void response.end(packument), ' ');
  const remote = await createRemote(service, fixture.workspace, { remoteRepositoryUrl: upstream.url });
  const params = { ...placeIn(fixture, remote), path: 'slow/dist-tags' };
  await untilAnswered(() => service.client.attempt(getDistTags, { params, as: fixture.systemAdmin.bearer }));
};

/** A login with a wrong password, which is counted. */
const failLogin: RightsScenario['others'] = async ({ fixture }) => {
  const content = JSON.stringify({ name: 'anybody', password: newPassword() });
  const { status } = await fixture.client.attempt(createNpmToken, {
    params: { ...placeIn(fixture, fixture.repository), path: 'org.couchdb.user:anybody' },
    bytes: { content, mediaType: 'application/json' },
  });
  expect(status).toBe(401);
};

export const npmScenario: RightsScenario = {
  manyVersions,
  fetching: {
    contract: getNpmDocument,
    beginning: Buffer.from([0x1f, 0x8b]),
    paramsOf: (file) => ({ path: `tool/-/tool-1.0.0-${file}.tgz` }),
    answering: (file, _, url) => (request, response) => {
      const versions = Object.fromEntries(
        fileWords.map((end) => [`1.0.0-${end}`, { dist: {}, manifest: { dependencies: { other: longText } } }]),
      );
      const isFile = request.url?.includes('/-/') ?? false;
      const packument = serving(JSON.stringify(packumentOf(url, request.url?.slice(1) ?? '', versions)));
      (isFile ? file : packument)(request, response);
    },
  },
  afterFetching,
  slowRead,
  others: failLogin,
};
