import { randomBytes } from 'node:crypto';
import { publishComposerPackage } from '../../functions/composer/contracts.ts';
import { repositoryDeployers, repositoryViewers } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { typedRepository } from '../harness/repositories.ts';
import { packageZip, pathOfFile } from '../types/composer.ts';
import { deleteVersion, ofPackages } from './of-packages.ts';

const version = '1.0.0';

/** A new package. All names have the same length, and so have all zips. */
const newPackage = () => {
  const name = `acme/app-${randomBytes(6).toString('hex')}`;
  return { name, bytes: { content: packageZip({ name, version }), mediaType: 'application/zip' } };
};

/** A package of the fixture's repository. */
const published = async (fixture: Fixture, { name, bytes } = newPackage()) => {
  const repository = await typedRepository(fixture, 'composer');
  const params = { workspace: fixture.workspace.id, repository: repository.name };
  const answer = await fixture.client.attempt(publishComposerPackage, {
    params,
    bytes,
    as: fixture.systemAdmin.bearer,
  });
  if (answer.status !== 201) throw new Error(`The package was not published: ${answer.text}`);
  return { repository, name };
};

const reading =
  (pathOf: (name: string) => string): Make =>
  async (fixture) => {
    const { repository, name } = await published(fixture);
    return { params: { repository: repository.name, path: pathOf(name) } };
  };

const publishing: Make = async (fixture) => {
  const each = newPackage();
  const { repository, name } = await published(fixture, each);
  await deleteVersion(fixture, repository.id, { name, version });
  return { params: { repository: repository.name }, bytes: each.bytes };
};

export const composer: FactsOf<'composer'> = {
  'composer/get-composer-document': {
    answers: repositoryViewers('200'),
    cost: 'file',
    request: reading((name) => pathOfFile(name, version)),
    otherWays: [reading((name) => `p2/${name}.json`), reading(() => 'packages.json')],
    ...ofPackages,
  },
  'composer/get-composer-search': {
    answers: repositoryViewers('200'),
    cost: 'page',
    request: async (fixture) => {
      const { repository, name } = await published(fixture);
      return { params: { repository: repository.name }, query: { q: name } };
    },
    ...ofPackages,
  },
  'composer/get-composer-list': {
    answers: repositoryViewers('200'),
    cost: 'document',
    request: async (fixture) => {
      const { repository, name } = await published(fixture);
      return { params: { repository: repository.name }, query: { filter: name } };
    },
    ...ofPackages,
  },
  'composer/check-composer-packages': {
    answers: repositoryViewers('200'),
    // What is known of imports of advisories is in the first read.
    cost: 'document of two',
    request: async (fixture) => {
      const repository = await typedRepository(fixture, 'composer');
      return {
        params: { repository: repository.name },
        bytes: { content: 'packages%5B0%5D=acme%2Ftool', mediaType: 'application/x-www-form-urlencoded' },
      };
    },
    ...ofPackages,
  },
  'composer/publish-composer-package': {
    answers: repositoryDeployers('201'),
    cost: 'publication',
    request: publishing,
    ...ofPackages,
  },
};
