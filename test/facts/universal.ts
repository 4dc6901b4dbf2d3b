import { publishUniversalFile } from '../../functions/universal/contracts.ts';
import { updateWorkspace } from '../../functions/workspaces/contracts.ts';
import { repositoryDeployers, repositoryViewers } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { uniqueName } from '../harness/world.ts';

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

/** Within a limit the usage is read. */
const inLimitedWorkspace: Make = async ({ client, world, systemAdmin }) => {
  const workspace = await world.workspace();
  const { id: repository } = await world.repository(workspace, undefined, 'universal');
  const params = { workspace: workspace.id };
  await client.succeed(updateWorkspace, { params, body: { storageLimit: 1_000 }, as: systemAdmin.bearer });
  return { params: { ...params, repository, path: 'limited/1.0.0/file.txt' }, bytes };
};

export const universal: FactsOf<'universal'> = {
  'universal/get-universal-file': {
    answers: repositoryViewers('200'),
    calls: 2,
    units: [7, 0],
    request: published,
    released: 'about packages, which no release has stored',
    examples: [],
  },
  'universal/publish-universal-file': {
    answers: repositoryDeployers('201'),
    calls: 3,
    units: [9, 16],
    request: async (fixture) => ({ ...newFile(fixture), bytes }),
    otherWays: [inLimitedWorkspace],
    released: 'about packages, which no release has stored',
    examples: [],
  },
};
