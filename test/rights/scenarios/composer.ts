import type { RequestListener } from 'node:http';
import {
  checkComposerPackages,
  getComposerDocument,
  getComposerList,
  getComposerSearch,
  publishComposerPackage,
} from '../../../functions/composer/contracts.ts';
import { publishUntilDue } from '../../harness/packages.ts';
import { createRemote, typedRepository } from '../../harness/repositories.ts';
import { serving } from '../../harness/upstream.ts';
import { newPassword, uniqueName } from '../../harness/world.ts';
import { packageZip } from '../../types/composer.ts';
import { duringOutages, fileWords, placeIn, type RightsScenario } from './scenario.ts';

const manyVersions: RightsScenario['manyVersions'] = async (fixture) => {
  const repository = await typedRepository(fixture, 'composer');
  const name = `acme/${uniqueName()}`;
  await publishUntilDue(fixture.workspace, repository, name, (each, version) => [
    JSON.stringify({ name: each, version, version_normalized: `${version}.0` }),
  ]);
  const params = placeIn(fixture, repository);
  const bytes = { content: packageZip({ name, version: '2.0.0' }), mediaType: 'application/zip' };
  return [
    [publishComposerPackage, { params, bytes }],
    [getComposerDocument, { params: { ...params, path: `p2/${name}.json` } }],
    [getComposerSearch, { params, query: { q: name } }],
  ];
};

/** Searches, lists of names of another repository, and an audit of a third one. */
const afterFetching: RightsScenario['afterFetching'] = async (setting, remote) => {
  const { service, fixture, upstream } = setting;
  const another = async () =>
    createRemote(service, fixture.workspace, {
      packageType: 'composer',
      remoteRepositoryUrl: upstream.url,
      remoteRepositoryPassword: newPassword(),
    });
  const [other, audited] = [await another(), await another()];
  const as = fixture.systemAdmin.bearer;
  await duringOutages(setting, async () => {
    await service.client.call(getComposerSearch, { params: placeIn(fixture, remote), query: { q: 'tool' }, as });
    await service.client.call(getComposerList, { params: placeIn(fixture, other), query: { filter: 'tool*' }, as });
  });
  const bytes = { content: 'packages[]=acme/tool', mediaType: 'application/x-www-form-urlencoded' };
  await duringOutages(setting, () =>
    service.client.attempt(checkComposerPackages, { params: placeIn(fixture, audited), bytes, as }),
  );
};

export const composerScenario: RightsScenario = {
  manyVersions,
  fetching: {
    contract: getComposerDocument,
    beginning: Buffer.from('PK'),
    paramsOf: (file) => ({ path: `dist/acme/tool/1.0.0/${file}.zip` }),
    answering: (file, _, url) => (request, response) => {
      const versions = fileWords.map((end) => ({
        name: 'acme/tool',
        version: '1.0.0',
        dist: { type: 'zip', url: `${url}/${end}`, reference: end },
      }));
      const documents: Readonly<Record<string, RequestListener>> = {
        '/packages.json': serving('{"metadata-url":"/p2/%package%.json","search":"/s?q=%query%","list":"/l"}'),
        '/p2/acme/tool.json': serving(JSON.stringify({ packages: { 'acme/tool': versions } })),
      };
      (documents[request.url ?? ''] ?? file)(request, response);
    },
  },
  afterFetching,
};
