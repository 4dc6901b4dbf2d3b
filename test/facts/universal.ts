import { publishUniversalFile } from '../../functions/universal/contracts.ts';
import { updateWorkspace } from '../../functions/workspaces/contracts.ts';
import { repositoryDeployers, repositoryManagers, repositoryViewers } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { uniqueName } from '../harness/world.ts';
import { ofPackages } from './of-packages.ts';

const bytes = { content: 'the file', mediaType: 'application/octet-stream' };

const newFile = ({ universal }: Fixture) => ({
  params: { repository: universal.name, path: `${uniqueName()}/1.0.0/file.txt` },
});

/** A file of the fixture that everybody may read who may see the repository. */
const published: Make = async (fixture) => {
  const request = newFile(fixture);
  const params = { workspace: fixture.workspace.id, ...request.params };
  const answer = await fixture.client.attempt(publishUniversalFile, { params, bytes, as: fixture.systemAdmin.bearer });
  if (answer.status !== 201) throw new Error(`The file was not published: ${answer.text}`);
  return request;
};

type Params = Readonly<Record<'workspace' | 'repository', string>>;

/** A repository of a workspace with a limit, which stores the bytes already: publishing them again is one write. */
const limitedRepository = async ({ client, world, systemAdmin }: Fixture): Promise<Params> => {
  const workspace = await world.workspace();
  const { id: repository } = await world.repository(workspace, undefined, 'universal');
  const params = { workspace: workspace.id, repository };
  const as = systemAdmin.bearer;
  await client.succeed(updateWorkspace, { params, body: { storageLimit: 10_000 }, as });
  const answer = await client.attempt(publishUniversalFile, {
    params: { ...params, path: 'stored/1.0.0/file.txt' },
    bytes,
    as,
  });
  if (answer.status !== 201) throw new Error(`The file was not published: ${answer.text}`);
  return params;
};

/** One for each fixture: a new workspace for each request would lengthen the lists of workspaces. */
const limitedRepositories = new WeakMap<Fixture, Promise<Params>>();

/** Within a limit the usage is read. */
const inLimitedWorkspace: Make = async (fixture) => {
  const repository = limitedRepositories.get(fixture) ?? limitedRepository(fixture);
  limitedRepositories.set(fixture, repository);
  return { params: { ...(await repository), path: `${uniqueName()}/1.0.0/file.txt` }, bytes };
};

export const universal: FactsOf<'universal'> = {
  'universal/get-universal-file': {
    answers: repositoryViewers('200'),
    cost: 'item',
    request: published,
    ...ofPackages,
  },
  'universal/publish-universal-file': {
    answers: repositoryDeployers('201'),
    cost: 'publication',
    request: async (fixture) => ({ ...newFile(fixture), bytes }),
    otherWays: [inLimitedWorkspace],
    ...ofPackages,
  },
  'universal/delete-universal-file': {
    answers: repositoryManagers('200'),
    cost: 'deletion of versions',
    request: published,
    ...ofPackages,
  },
};
