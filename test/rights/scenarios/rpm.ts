import { getRpmDocument, publishRpmPackage } from '../../../functions/rpm/contracts.ts';
import { publishUntilDue } from '../../harness/packages.ts';
import { serving } from '../../harness/upstream.ts';
import { uniqueName } from '../../harness/world.ts';
import { rpmOf, rpmPath } from '../../types/rpm-files.ts';
import { repodataOf } from '../../types/rpm-upstreams.ts';
import { contentsOf, placeIn, type RightsScenario } from './scenario.ts';

export const rpmScenario: RightsScenario = {
  // In a new repository: every package in it counts.
  manyVersions: async (fixture) => {
    const repository = await fixture.world.repository(fixture.workspace, undefined, 'rpm');
    const partsOf = () => ['["0","1.0","1","00"]'];
    await publishUntilDue(fixture.workspace, repository, uniqueName('pkg'), partsOf, 'repository');
    const params = placeIn(fixture, repository);
    const each = { name: uniqueName('pkg'), version: '1.0' };
    const bytes = { content: rpmOf(each), mediaType: 'application/octet-stream' };
    return [
      [publishRpmPackage, { params: { ...params, path: rpmPath(each) }, bytes }],
      [getRpmDocument, { params: { ...params, path: 'repodata/repomd.xml' } }],
    ];
  },
  fetching: {
    contract: getRpmDocument,
    paramsOf: (file) => ({ path: `Packages/tool-1.0-${file}.noarch.rpm` }),
    answering: (file, large) => (request, response) => {
      const packages = Object.entries(contentsOf(large)).map(
        ([end, content]) => [`Packages/tool-1.0-${end}.noarch.rpm`, content] as const,
      );
      const list = repodataOf(Object.fromEntries(packages))[request.url?.slice(1) ?? ''];
      (list === undefined ? file : serving(list))(request, response);
    },
  },
};
