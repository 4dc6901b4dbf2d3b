import { getGoFile, publishGoModule } from '../../../functions/go/contracts.ts';
import { moduleZip } from '../../harness/go.ts';
import { publishUntilDue } from '../../harness/packages.ts';
import { typedRepository } from '../../harness/repositories.ts';
import { uniqueName } from '../../harness/world.ts';
import { placeIn, type RightsScenario } from './scenario.ts';

export const goScenario: RightsScenario = {
  manyVersions: async (fixture) => {
    const repository = await typedRepository(fixture, 'go');
    const name = `corp.example/${uniqueName()}`;
    await publishUntilDue(fixture.workspace, repository, name);
    const params = placeIn(fixture, repository);
    const bytes = { content: moduleZip(name, 'v1.1.0'), mediaType: 'application/zip' };
    return [
      [publishGoModule, { params: { ...params, path: `${name}/@v/v1.1.0.zip` }, bytes }],
      [getGoFile, { params: { ...params, path: `${name}/@v/list` } }],
    ];
  },
  fetching: {
    contract: getGoFile,
    beginning: Buffer.from('PK'),
    paramsOf: (file) => ({ path: `corp.example/tool/@v/v1.0.0-${file}.zip` }),
  },
};
