import { publishChart } from '../../functions/helm/contracts.ts';
import { updateWorkspace } from '../../functions/workspaces/contracts.ts';
import { repositoryDeployers, repositoryManagers, repositoryViewers } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { chartForm, chartOf, provenanceOf, type TestChart } from '../harness/helm-charts.ts';
import { typedRepository } from '../harness/typed-repository.ts';
import { uniqueName } from '../harness/world.ts';
import { ofPackages } from './of-packages.ts';

/** A repository with the charts of one request: an index of many would cost more units. */
const repositoryOf = async (fixture: Fixture): Promise<string> => (await typedRepository(fixture, 'helm')).name;

const newChart = (): TestChart => ({ name: uniqueName('chart'), version: '1.0.0' });

/** A published chart, and its repository. */
const published = async (fixture: Fixture, chart = newChart()) => {
  const { client, workspace, systemAdmin } = fixture;
  const repository = await repositoryOf(fixture);
  const params = { workspace: workspace.id, repository };
  const bytes = chartForm({ chart: await chartOf(chart) });
  const answer = await client.attempt(publishChart, { params, bytes, as: systemAdmin.bearer });
  if (answer.status !== 201) throw new Error(`The chart was not published: ${answer.text}`);
  return { chart, repository };
};

const addressed = async (fixture: Fixture) => {
  const { chart, repository } = await published(fixture);
  return { params: { repository, package: chart.name, version: chart.version } };
};

/** Within a limit the usage is read. */
const inLimitedWorkspace: Make = async ({ client, world, systemAdmin }) => {
  const workspace = await world.workspace();
  const { id: repository } = await world.repository(workspace, undefined, 'helm');
  const params = { workspace: workspace.id, repository };
  const as = systemAdmin.bearer;
  await client.succeed(updateWorkspace, { params, body: { storageLimit: 1_000_000 }, as });
  const chart = newChart();
  const file = await chartOf(chart);
  const answer = await client.attempt(publishChart, { params, bytes: chartForm({ chart: file }), as });
  if (answer.status !== 201) throw new Error(`The chart was not published: ${answer.text}`);
  return { params, bytes: chartForm({ prov: provenanceOf(chart, file) }) };
};

export const helm: FactsOf<'helm'> = {
  'helm/publish-chart': {
    answers: repositoryDeployers('201'),
    calls: 4,
    units: [11, 24],
    request: async (fixture) => ({
      params: { repository: await repositoryOf(fixture) },
      bytes: chartForm({ chart: await chartOf(newChart()) }),
    }),
    otherWays: [
      async (fixture) => {
        const chart = newChart();
        const file = await chartOf(chart);
        const bytes = chartForm({ chart: file, prov: provenanceOf(chart, file) });
        return { params: { repository: await repositoryOf(fixture) }, bytes };
      },
    ],
    ...ofPackages,
  },
  'helm/publish-provenance': {
    answers: repositoryDeployers('201'),
    calls: 5,
    units: [12, 18],
    request: async (fixture) => {
      const { chart, repository } = await published(fixture);
      return { params: { repository }, bytes: chartForm({ prov: provenanceOf(chart, await chartOf(chart)) }) };
    },
    otherWays: [inLimitedWorkspace],
    ...ofPackages,
  },
  'helm/delete-chart-version': {
    answers: repositoryManagers('200'),
    calls: 5,
    units: [9, 22],
    request: addressed,
    ...ofPackages,
  },
  'helm/get-helm-document': {
    answers: repositoryViewers('200'),
    calls: 1,
    units: [8, 0],
    request: async (fixture) => {
      const { chart, repository } = await published(fixture);
      return { params: { repository, path: `charts/${chart.name}-${chart.version}.tgz` } };
    },
    otherWays: [
      async (fixture) => ({ params: { repository: (await published(fixture)).repository, path: 'index.yaml' } }),
    ],
    ...ofPackages,
  },
};
