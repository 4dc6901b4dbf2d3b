import { getHelmDocument, publishChart, publishProvenance } from '../../../functions/helm/contracts.ts';
import { chartForm, chartOf, provenanceOf } from '../../harness/helm.ts';
import { publishUntilDue } from '../../harness/packages.ts';
import { serving } from '../../harness/upstream.ts';
import { uniqueName } from '../../harness/world.ts';
import { fileWords, placeIn, type RightsScenario } from './scenario.ts';

export const helmScenario: RightsScenario = {
  // In a new repository: every chart in it counts.
  manyVersions: async (fixture) => {
    const repository = await fixture.world.repository(fixture.workspace, undefined, 'helm');
    await publishUntilDue(fixture.workspace, repository, uniqueName('chart'), () => ['{}'], 'repository');
    const params = placeIn(fixture, repository);
    const chart = { name: uniqueName('chart'), version: '1.0.0' };
    const file = await chartOf(chart);
    return [
      [publishChart, { params, bytes: chartForm({ chart: file }) }],
      [publishProvenance, { params, bytes: chartForm({ prov: provenanceOf(chart, file) }) }],
      [getHelmDocument, { params: { ...params, path: 'index.yaml' } }],
    ];
  },
  fetching: {
    contract: getHelmDocument,
    beginning: Buffer.from([0x1f, 0x8b]),
    paramsOf: (file) => ({ path: `charts/tool-1.0.0-${file}.tgz` }),
    answering: (file) => (request, response) => {
      const tool = fileWords.map((end) => ({ name: 'tool', version: `1.0.0-${end}`, urls: [`tool-${end}.tgz`] }));
      const index = serving(JSON.stringify({ apiVersion: 'v1', entries: { tool } }));
      (request.url === '/index.yaml' ? index : file)(request, response);
    },
  },
};
