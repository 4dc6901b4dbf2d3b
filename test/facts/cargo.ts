import { addYank, publishCrate } from '../../functions/cargo/contracts.ts';
import { repositoryDeployers, repositoryViewers } from '../harness/callers.ts';
import { publishBodyOf } from '../harness/cargo.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { typedRepository } from '../harness/repositories.ts';
import { uniqueName } from '../harness/world.ts';
import { deleteVersion, ofPackages } from './of-packages.ts';

const inRepository = async (fixture: Fixture) => ({ repository: (await typedRepository(fixture, 'cargo')).name });

const newCrate = async () => {
  const name = uniqueName('crate');
  const content = await publishBodyOf({ name, version: '1.0.0' });
  return { name, bytes: { content, mediaType: 'application/octet-stream' } };
};

/** A version of a crate of the fixture, as the parameters of its path. */
const published = async (fixture: Fixture, crate?: Awaited<ReturnType<typeof newCrate>>) => {
  const params = { workspace: fixture.workspace.id, ...(await inRepository(fixture)) };
  const { name, bytes } = crate ?? (await newCrate());
  const answer = await fixture.client.attempt(publishCrate, { params, bytes, as: fixture.systemAdmin.bearer });
  if (answer.status !== 200) throw new Error(`The crate was not published: ${answer.text}`);
  return { ...params, crate: name, version: '1.0.0' };
};

const publishing: Make = async (fixture) => {
  const crate = await newCrate();
  const { repository } = await published(fixture, crate);
  await deleteVersion(fixture, repository, { name: crate.name, version: '1.0.0' });
  return { params: { repository }, bytes: crate.bytes };
};

const ofVersion: Make = async (fixture) => ({ params: await published(fixture) });

export const cargo: FactsOf<'cargo'> = {
  'cargo/get-cargo-config': {
    answers: repositoryViewers('200'),
    cost: 'access',
    request: async (fixture) => ({ params: await inRepository(fixture) }),
    ...ofPackages,
  },
  'cargo/get-crate-index': {
    answers: repositoryViewers('200'),
    cost: 'item',
    request: async (fixture) => {
      const { crate, ...params } = await published(fixture);
      return { params: { ...params, path: `${crate.slice(0, 2)}/${crate.slice(2, 4)}/${crate}` } };
    },
    ...ofPackages,
  },
  'cargo/get-cargo-search': {
    answers: repositoryViewers('200'),
    cost: 'page',
    request: async (fixture) => {
      const { crate, ...params } = await published(fixture);
      return { params, query: { q: crate } };
    },
    ...ofPackages,
  },
  'cargo/get-crate': {
    answers: repositoryViewers('200'),
    cost: 'item',
    request: ofVersion,
    ...ofPackages,
  },
  'cargo/publish-crate': {
    answers: repositoryDeployers('200'),
    cost: 'publication',
    request: publishing,
    ...ofPackages,
  },
  'cargo/add-yank': {
    answers: repositoryDeployers('200'),
    cost: 'change of a version',
    request: ofVersion,
    ...ofPackages,
  },
  'cargo/remove-yank': {
    answers: repositoryDeployers('200'),
    cost: 'change of a version',
    request: async (fixture) => {
      const params = await published(fixture);
      await fixture.client.succeed(addYank, { params, as: fixture.systemAdmin.bearer });
      return { params };
    },
    ...ofPackages,
  },
};
