import { randomBytes } from 'node:crypto';
import { repositoryDeployers, repositoryViewers } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { moduleZip, putModule } from '../harness/go.ts';
import { typedRepository } from '../harness/repositories.ts';
import type { Named } from '../harness/world.ts';
import { deleteVersion, ofPackages } from './of-packages.ts';

const version = 'v1.0.0';

/** A new module of the fixture's repository. All names have the same length, and so have all zips. */
const published = async (fixture: Fixture): Promise<{ readonly repository: Named; readonly name: string }> => {
  const repository = await typedRepository(fixture, 'go');
  const name = `corp.example/module-${randomBytes(6).toString('hex')}`;
  const place = { ...fixture, repository, as: fixture.systemAdmin.bearer };
  const answer = await putModule(fixture, place, { name, version });
  if (answer.status !== 201) throw new Error(`The module was not published: ${answer.text}`);
  return { repository, name };
};

/** What is asked of a module. */
const reading =
  (path: string): Make =>
  async (fixture) => {
    const { repository, name } = await published(fixture);
    return { params: { repository: repository.name, path: `${name}/${path}` } };
  };

const publishing: Make = async (fixture) => {
  const { repository, name } = await published(fixture);
  await deleteVersion(fixture, repository.id, { name, version });
  return {
    params: { repository: repository.name, path: `${name}/@v/${version}.zip` },
    bytes: { content: moduleZip(name, version), mediaType: 'application/zip' },
  };
};

export const go: FactsOf<'go'> = {
  'go/publish-go-module': {
    answers: repositoryDeployers('201'),
    cost: 'publication',
    request: publishing,
    ...ofPackages,
  },
  'go/get-go-file': {
    answers: repositoryViewers('200'),
    cost: 'item',
    request: reading(`@v/${version}.zip`),
    otherWays: [reading('@v/list'), reading('@latest')],
    ...ofPackages,
  },
};
