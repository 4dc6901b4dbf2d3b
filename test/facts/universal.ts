import { publishUniversalFile } from '../../functions/universal/contracts.ts';
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
    released: 'about packages, which no release has stored',
    examples: [],
  },
};
