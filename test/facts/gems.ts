import { publishGem } from '../../functions/gems/contracts.ts';
import { repositoryDeployers, repositoryManagers, repositoryViewers } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { typedRepository } from '../harness/repositories.ts';
import { uniqueName } from '../harness/world.ts';
import { gemOf, gemPath, type TestGem } from '../types/gems.ts';
import { deleteVersion, ofPackages } from './of-packages.ts';

const inRepository = async (fixture: Fixture) => ({ repository: (await typedRepository(fixture, 'gems')).name });

const newGem = (): TestGem => ({ name: uniqueName('gem'), version: '1.0.0' });

const bodyOf = (each: TestGem) => ({ content: gemOf(each), mediaType: 'application/octet-stream' });

/** A gem of the fixture's repository, which is returned with its name. */
const published = async (fixture: Fixture, each = newGem()) => {
  const params = { workspace: fixture.workspace.id, ...(await inRepository(fixture)) };
  const answer = await fixture.client.attempt(publishGem, {
    params,
    bytes: bodyOf(each),
    as: fixture.systemAdmin.bearer,
  });
  if (answer.status !== 200) throw new Error(`The gem was not published: ${answer.text}`);
  return { params, name: each.name };
};

const reading =
  (pathOf: (name: string) => string): Make =>
  async (fixture) => {
    const { params, name } = await published(fixture);
    return { params: { ...params, path: pathOf(name) } };
  };

const publishing: Make = async (fixture) => {
  const each = newGem();
  const { params } = await published(fixture, each);
  await deleteVersion(fixture, params.repository, { name: each.name, version: each.version });
  return { params, bytes: bodyOf(each) };
};

const yanking: Make = async (fixture) => {
  const { params, name } = await published(fixture);
  const form = new URLSearchParams({ gem_name: name, version: '1.0.0' }).toString();
  return { params, bytes: { content: form, mediaType: 'application/x-www-form-urlencoded' } };
};

const inPlace: Make = async (fixture) => ({ params: await inRepository(fixture) });

const signingIn: Make = async (fixture) => ({
  params: await inRepository(fixture),
  bytes: { content: 'name=laptop&index_rubygems=true', mediaType: 'application/x-www-form-urlencoded' },
});

export const gems: FactsOf<'gems'> = {
  'gems/get-gems-root': { answers: repositoryViewers('200'), cost: 'access', request: inPlace, ...ofPackages },
  'gems/get-gems-document': {
    answers: repositoryViewers('200'),
    cost: 'file',
    request: reading((name) => gemPath({ name, version: '1.0.0' })),
    otherWays: [
      reading((name) => `quick/Marshal.4.8/${name}-1.0.0.gemspec.rz`),
      reading((name) => `info/${name}`),
      reading(() => 'versions'),
      reading(() => 'names'),
      reading(() => 'specs.4.8.gz'),
    ],
    ...ofPackages,
  },
  'gems/publish-gem': {
    answers: repositoryDeployers('200'),
    cost: 'publication in two indexes',
    request: publishing,
    ...ofPackages,
  },
  'gems/delete-gem-version': {
    answers: repositoryManagers('200'),
    cost: 'deletion from two indexes',
    request: yanking,
    ...ofPackages,
  },
  'gems/create-gem-key': { answers: repositoryViewers('200'), cost: 'access', request: signingIn, ...ofPackages },
  'gems/get-gem-key': { answers: repositoryViewers('200'), cost: 'access', request: inPlace, ...ofPackages },
};
