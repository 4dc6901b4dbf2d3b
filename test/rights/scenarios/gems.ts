import { createGemKey, getGemsDocument, publishGem } from '../../../functions/gems/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import { publishUntilDue } from '../../harness/packages.ts';
import { typedRepository } from '../../harness/repositories.ts';
import { serving } from '../../harness/upstream.ts';
import { uniqueName } from '../../harness/world.ts';
import { gemOf } from '../../types/gems.ts';
import { contentsOf, placeIn, type RightsScenario } from './scenario.ts';

/** Who signs in with a password gets a new token. */
const signIn: RightsScenario['others'] = async ({ fixture }) => {
  const { client, world } = fixture;
  const { account } = await world.systemAdmin();
  const params = placeIn(fixture, await typedRepository(fixture, 'gems'));
  const bytes = { content: 'name=laptop', mediaType: 'application/x-www-form-urlencoded' };
  const { status } = await client.attempt(createGemKey, { params, bytes, as: account });
  expect(status).toBe(200);
};

export const gemsScenario: RightsScenario = {
  // In a new repository: its versions are in the index of the repository, too.
  manyVersions: async (fixture) => {
    const repository = await fixture.world.repository(fixture.workspace, undefined, 'gems');
    const name = uniqueName('gem');
    await publishUntilDue(fixture.workspace, repository, name, (each, version) => [each, `${version} |checksum:abc`]);
    const params = placeIn(fixture, repository);
    const content = gemOf({ name, version: '2.0.0' });
    return [
      [publishGem, { params, bytes: { content, mediaType: 'application/octet-stream' } }],
      [getGemsDocument, { params: { ...params, path: `info/${name}` } }],
    ];
  },
  fetching: {
    contract: getGemsDocument,
    paramsOf: (file) => ({ path: `gems/tool-1.0.0.${file}.gem` }),
    answering: (file, large) => (request, response) => {
      const lines = Object.entries(contentsOf(large)).map(
        ([end, content]) => `1.0.0.${end} |checksum:${sha256(content)}\n`,
      );
      (request.url === '/info/tool' ? serving(`---\n${lines.join('')}`) : file)(request, response);
    },
  },
  others: signIn,
};
