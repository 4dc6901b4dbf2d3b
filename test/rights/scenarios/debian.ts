import { getDebianDocument, publishDebianPackage } from '../../../functions/debian/contracts.ts';
import { publishUntilDue } from '../../harness/packages.ts';
import { uniqueName } from '../../harness/world.ts';
import { debOf, debPath } from '../../types/debian-files.ts';
import { placeIn, type RightsScenario } from './scenario.ts';

export const debianScenario: RightsScenario = {
  // In a new repository: every package in it counts.
  manyVersions: async (fixture) => {
    const repository = await fixture.world.repository(fixture.workspace, undefined, 'debian');
    const partsOf = () => ['["1.0","00","Package: tool\\n"]'];
    await publishUntilDue(fixture.workspace, repository, uniqueName('pkg'), partsOf, 'repository');
    const params = placeIn(fixture, repository);
    const each = { name: uniqueName('pkg'), version: '1.0' };
    const bytes = { content: debOf(each), mediaType: 'application/octet-stream' };
    return [
      [publishDebianPackage, { params: { ...params, path: debPath(each) }, bytes }],
      [getDebianDocument, { params: { ...params, path: 'dists/stable/InRelease' } }],
    ];
  },
  fetching: {
    contract: getDebianDocument,
    beginning: Buffer.from('!<arch>\n'),
    paramsOf: (file) => ({ path: `pool/main/t/tool/tool_1.0-${file}_all.deb` }),
  },
};
