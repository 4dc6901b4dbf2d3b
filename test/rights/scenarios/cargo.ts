import type { RequestListener } from 'node:http';
import {
  addYank,
  getCargoSearch,
  getCrate,
  getCrateIndex,
  publishCrate,
  removeYank,
} from '../../../functions/cargo/contracts.ts';
import { indexPathOf } from '../../../functions/cargo/names.ts';
import { randomText, sha256 } from '../../harness/bytes.ts';
import { publishBodyOf } from '../../harness/cargo.ts';
import { publishUntilDue } from '../../harness/packages.ts';
import { createRemote, typedRepository } from '../../harness/repositories.ts';
import { serving, trickling } from '../../harness/upstream.ts';
import { newPassword, uniqueName } from '../../harness/world.ts';
import {
  contentsOf,
  duringOutages,
  placeIn,
  type RightsScenario,
  slowMilliseconds,
  untilRedirected,
} from './scenario.ts';

const manyVersions: RightsScenario['manyVersions'] = async (fixture) => {
  const repository = await typedRepository(fixture, 'cargo');
  const [name, yanked, unyanked] = ['one', 'two', 'three'].map(uniqueName) as [string, string, string];
  for (const each of [name, yanked, unyanked]) await publishUntilDue(fixture.workspace, repository, each);
  const params = placeIn(fixture, repository);
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

/** An index that takes longer than a request, and is too large for an answer. */
const slowRead: RightsScenario['slowRead'] = async (setting) => {
  const { service, fixture, upstream } = setting;
  const lines = Array.from({ length: 46 }, (_, patch) =>
    JSON.stringify({ name: 'slow', vers: `1.0.${patch}`, links: randomText(100_000) }),
  );
  upstream.answer = trickling(slowMilliseconds, (response) => void response.end(lines.join('\n')), ' ');
  const remote = await createRemote(service, fixture.workspace, {
    packageType: 'cargo',
    remoteRepositoryUrl: upstream.url,
    remoteRepositoryPassword: newPassword(),
  });
  const params = { ...placeIn(fixture, remote), path: 'sl/ow/slow' };
  await untilRedirected(setting, getCrateIndex, { params, as: fixture.systemAdmin.bearer });
};

export const cargoScenario: RightsScenario = {
  manyVersions,
  fetching: {
    contract: getCrate,
    paramsOf: (file) => ({ crate: 'tool', version: `1.0.0-${file}` }),
    answering: (file, large, url) => (request, response) => {
      const lines = Object.entries(contentsOf(large)).map(([end, content]) =>
        JSON.stringify({ name: 'tool', vers: `1.0.0-${end}`, cksum: sha256(content) }),
      );
      const documents: Readonly<Record<string, RequestListener>> = {
        '/config.json': serving(JSON.stringify({ dl: `${url}/files` })),
        '/to/ol/tool': serving(lines.join('\n')),
      };
      (documents[request.url ?? ''] ?? file)(request, response);
    },
  },
  afterFetching: async (setting, remote) => {
    const { client, systemAdmin } = setting.fixture;
    const request = { params: placeIn(setting.fixture, remote), query: { q: 'tool' }, as: systemAdmin.bearer };
    await duringOutages(setting, () => client.call(getCargoSearch, request));
  },
  slowRead,
};
