import { publishRpmPackage } from '../../functions/rpm/contracts.ts';
import { repositoryDeployers, repositoryManagers, repositoryViewers } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { typedRepository } from '../harness/repositories.ts';
import { uniqueName } from '../harness/world.ts';
import { rpmOf, rpmPath, type TestRpm } from '../types/rpm-files.ts';
import { deleteVersion, ofPackages } from './of-packages.ts';

/** A repository with the packages of one request: a list of many would cost more units. */
const repositoryOf = async (fixture: Fixture): Promise<string> => (await typedRepository(fixture, 'rpm')).name;

const newPackage = (): TestRpm => ({ name: uniqueName('pkg'), version: '1.0' });

const bodyOf = (each: TestRpm) => ({ content: rpmOf(each), mediaType: 'application/octet-stream' });

/** A package of the fixture's repository. */
const published = async (fixture: Fixture) => {
  const each = newPackage();
  const params = { workspace: fixture.workspace.id, repository: await repositoryOf(fixture), path: rpmPath(each) };
  const answer = await fixture.client.attempt(publishRpmPackage, {
    params,
    bytes: bodyOf(each),
    as: fixture.systemAdmin.bearer,
  });
  if (answer.status !== 201) throw new Error(`The package was not published: ${answer.text}`);
  return { params, each };
};

const reading =
  (path?: string): Make =>
  async (fixture) => {
    const { params } = await published(fixture);
    return { params: { ...params, ...(path !== undefined && { path }) } };
  };

const publishing: Make = async (fixture) => {
  const { params, each } = await published(fixture);
  await deleteVersion(fixture, params.repository, { name: each.name, version: '1.0-1.noarch' });
  return { params, bytes: bodyOf(each) };
};

export const rpm: FactsOf<'rpm'> = {
  'rpm/get-rpm-document': {
    answers: repositoryViewers('200'),
    cost: 'file',
    request: reading(),
    otherWays: [reading('repodata/repomd.xml'), reading('mirrorlist'), reading('linux.repo')],
    ...ofPackages,
  },
  'rpm/publish-rpm-package': {
    answers: repositoryDeployers('201'),
    cost: 'publication',
    request: publishing,
    ...ofPackages,
  },
  'rpm/delete-rpm-package': {
    answers: repositoryManagers('200'),
    cost: 'deletion of versions',
    request: async (fixture) => ({ params: (await published(fixture)).params }),
    ...ofPackages,
  },
};
