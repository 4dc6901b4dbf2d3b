import { randomBytes } from 'node:crypto';
import {
  getConanDocument,
  getConanSearch,
  getConanToken,
  publishConanFile,
} from '../../../functions/conan/contracts.ts';
import { randomText } from '../../harness/bytes.ts';
import { accountHeader } from '../../harness/credentials.ts';
import { publishUntilDue } from '../../harness/packages.ts';
import { createRemote, typedRepository } from '../../harness/repositories.ts';
import { serving, trickling } from '../../harness/upstream.ts';
import { uniqueName } from '../../harness/world.ts';
import { recipeFiles } from '../../types/conan.ts';
import { duringOutages, placeIn, type RightsScenario, slowMilliseconds, untilAnswered } from './scenario.ts';

const manyVersions: RightsScenario['manyVersions'] = async (fixture) => {
  const repository = await typedRepository(fixture, 'conan');
  const name = uniqueName('lib');
  await publishUntilDue(fixture.workspace, repository, name, () => ['{"files":[]}']);
  const params = placeIn(fixture, repository);
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

/** Searches for recipes of one package and of several, whose answers are redirected to, and then fail. */
const afterFetching: RightsScenario['afterFetching'] = async (setting, remote) => {
  const { client, systemAdmin } = setting.fixture;
  const request = { params: placeIn(setting.fixture, remote), as: systemAdmin.bearer };
  const search = (q: string) => client.call(getConanSearch, { ...request, query: { q } });
  // More than an answer may have, compressed, so that it is redirected to.
  const results = Array.from({ length: 90_000 }, () => `tool/1.0.${randomBytes(60).toString('base64url')}`);
  setting.upstream.answer = serving(JSON.stringify({ results }));
  for (const q of ['tool/*', 'tool*']) await search(q);
  await duringOutages(setting, async () => {
    await search('other/*');
    await search('other*');
  });
};

/** The recipes of a package. */
const slowRead: RightsScenario['slowRead'] = async ({ service, fixture, upstream }) => {
  const results = Array.from({ length: 1_000 }, () => `slow/1.${randomText(32)}`);
  upstream.answer = trickling(slowMilliseconds, (response) => void response.end(JSON.stringify({ results })), ' ');
  const fields = { packageType: 'conan', remoteRepositoryUrl: upstream.url } as const;
  const params = placeIn(fixture, await createRemote(service, fixture.workspace, fields));
  const request = { params, query: { q: 'slow/*' }, as: fixture.systemAdmin.bearer };
  await untilAnswered(() => service.client.attempt(getConanSearch, request));
};

/** Who logs in with a password gets a new token. */
const logIn: RightsScenario['others'] = async ({ fixture }) => {
  const { client, world } = fixture;
  const { username, password } = await world.systemAdmin();
  const params = placeIn(fixture, await typedRepository(fixture, 'conan'));
  const { status } = await client.attempt(getConanToken, { params, as: accountHeader(username, password) });
  expect(status).toBe(200);
};

export const conanScenario: RightsScenario = {
  manyVersions,
  fetching: {
    contract: getConanDocument,
    paramsOf: (file) => ({ path: `tool/1.0/_/_/revisions/1/files/${file}` }),
    answering: (file) => (request, response) =>
      (request.url?.endsWith('/authenticate') ? serving('token') : file)(request, response),
  },
  afterFetching,
  slowRead,
  others: logIn,
};
