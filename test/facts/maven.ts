import { publishMavenFile } from '../../functions/maven/contracts.ts';
import { repositoryDeployers, repositoryViewers } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { typedRepository } from '../harness/repositories.ts';
import { uniqueName } from '../harness/world.ts';
import { ofPackages } from './of-packages.ts';

const bytes = { content: 'the file', mediaType: 'application/octet-stream' };

const newFile = async (fixture: Fixture) => {
  const { name: repository } = await typedRepository(fixture, 'maven');
  const artifactId = uniqueName('app');
  return { params: { repository, path: `org/acme/${artifactId}/1.0/${artifactId}-1.0.jar` } };
};

/** A file that everybody may read who may see the repository. */
const published: Make = async (fixture) => {
  const request = await newFile(fixture);
  const params = { workspace: fixture.workspace.id, ...request.params };
  const answer = await fixture.client.attempt(publishMavenFile, { params, bytes, as: fixture.systemAdmin.bearer });
  if (answer.status !== 201) throw new Error(`The file was not published: ${answer.text}`);
  return request;
};

/** The request for something beside a file, by its path from that of the file. */
const beside =
  (pathOf: (file: string) => string): Make =>
  async (fixture) => {
    const { params = {} } = await published(fixture);
    return { params: { ...params, path: pathOf(params.path ?? '') } };
  };

const checksum = beside((file) => `${file}.sha1`);
const metadata = beside((file) => `${file.split('/').slice(0, -2).join('/')}/maven-metadata.xml`);

export const maven: FactsOf<'maven'> = {
  'maven/get-maven-file': {
    answers: repositoryViewers('200'),
    cost: 'item',
    request: published,
    otherWays: [checksum, metadata],
    ...ofPackages,
  },
  'maven/publish-maven-file': {
    answers: repositoryDeployers('201'),
    cost: 'publication',
    request: async (fixture) => ({ ...(await newFile(fixture)), bytes }),
    ...ofPackages,
  },
};
