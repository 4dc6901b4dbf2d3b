import { publishChart } from '../../functions/helm/contracts.ts';
import { updateWorkspace } from '../../functions/workspaces/contracts.ts';
import { repositoryDeployers, repositoryManagers, repositoryViewers } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { chartForm, chartOf, provenanceOf, type TestChart } from '../harness/helm.ts';
import { typedRepository } from '../harness/repositories.ts';
import { uniqueName } from '../harness/world.ts';
import { deleteVersion, ofPackages } from './of-packages.ts';

/** A repository with the charts of one request: an index of many would cost more units. */
const repositoryOf = async (fixture: Fixture): Promise<string> => (await typedRepository(fixture, 'helm')).name;

const newChart = (): TestChart => ({ name: uniqueName('chart'), version: '1.0.0' });

/** Publishes a chart, with its provenance or without. */
const publish = async (
  { client, systemAdmin: { bearer: as } }: Fixture,
  params: { readonly workspace: string; readonly repository: string },
  bytes: ReturnType<typeof chartForm>,
): Promise<void> => {
  const answer = await client.attempt(publishChart, { params, bytes, as });
  if (answer.status !== 201) throw new Error(`The chart was not published: ${answer.text}`);
};

/** A published chart, and its repository. */
const published = async (fixture: Fixture, chart = newChart()) => {
  const repository = await repositoryOf(fixture);
  const params = { workspace: fixture.workspace.id, repository };
  await publish(fixture, params, chartForm({ chart: await chartOf(chart) }));
  return { chart, repository };
};

/** A chart that was published with its provenance, and deleted. */
const deleted = async (fixture: Fixture, workspace: string, repository: string) => {
  const chart = newChart();
  const file = await chartOf(chart);
  const prov = provenanceOf(chart, file);
  await publish(fixture, { workspace, repository }, chartForm({ chart: file, prov }));
  await deleteVersion({ ...fixture, workspace: { ...fixture.workspace, id: workspace } }, repository, chart);
  return { file, prov };
};

const publishing =
  (withProvenance: boolean): Make =>
  async (fixture) => {
    const repository = await repositoryOf(fixture);
    const { file, prov } = await deleted(fixture, fixture.workspace.id, repository);
    return { params: { repository }, bytes: chartForm({ chart: file, ...(withProvenance && { prov }) }) };
  };

const addressed = async (fixture: Fixture) => {
  const { chart, repository } = await published(fixture);
  return { params: { repository, package: chart.name, version: chart.version } };
};

/** Publishes the provenance of a chart that is there. */
const publishingProvenance = async (fixture: Fixture, workspace: string, repository: string) => {
  const { file, prov } = await deleted(fixture, workspace, repository);
  await publish(fixture, { workspace, repository }, chartForm({ chart: file }));
  return { params: { workspace, repository }, bytes: chartForm({ prov }) };
};

/** Within a limit the usage is read. */
const inLimitedWorkspace: Make = async (fixture) => {
  const { client, world, systemAdmin } = fixture;
  const workspace = await world.workspace();
  const { id: repository } = await world.repository(workspace, undefined, 'helm');
  const params = { workspace: workspace.id, repository };
  await client.succeed(updateWorkspace, { params, body: { storageLimit: 1_000_000 }, as: systemAdmin.bearer });
  return publishingProvenance(fixture, workspace.id, repository);
};

export const helm: FactsOf<'helm'> = {
  'helm/publish-chart': {
    answers: repositoryDeployers('201'),
    cost: 'publication',
    request: publishing(false),
    otherWays: [publishing(true)],
    ...ofPackages,
  },
  'helm/publish-provenance': {
    answers: repositoryDeployers('201'),
    cost: 'change of a version',
    request: async (fixture) => publishingProvenance(fixture, fixture.workspace.id, await repositoryOf(fixture)),
    otherWays: [inLimitedWorkspace],
    ...ofPackages,
  },
  'helm/delete-chart-version': {
    answers: repositoryManagers('200'),
    cost: 'deletion of versions',
    request: addressed,
    ...ofPackages,
  },
  'helm/get-helm-document': {
    answers: repositoryViewers('200'),
    cost: 'item',
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
