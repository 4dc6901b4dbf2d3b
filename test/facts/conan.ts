import { publishConanFile } from '../../functions/conan/contracts.ts';
import { repositoryDeployers, repositoryManagers, repositoryViewers } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { typedRepository } from '../harness/repositories.ts';
import { uniqueName } from '../harness/world.ts';
import { binaryFiles, md5, recipeFiles, recipePath, revisionOf } from '../types/conan.ts';
import { ofPackages } from './of-packages.ts';

const inRepository = async (fixture: Fixture) => ({ repository: (await typedRepository(fixture, 'conan')).name });

const bytesOf = (content: string) => ({ content, mediaType: 'application/octet-stream' });

/** A recipe of the fixture, complete. */
const published = async (fixture: Fixture) => {
  const name = uniqueName('lib');
  const files = recipeFiles();
  const path = `${recipePath(name)}/revisions/${revisionOf(files)}`;
  const params = { workspace: fixture.workspace.id, ...(await inRepository(fixture)) };
  const publish = async (file: string, content: string): Promise<void> => {
    const sent = { params: { ...params, path: file }, bytes: bytesOf(content), as: fixture.systemAdmin.bearer };
    const answer = await fixture.client.attempt(publishConanFile, sent);
    if (answer.status !== 201) throw new Error(`The file was not published: ${answer.text}`);
  };
  for (const [file, content] of Object.entries(files)) await publish(`${path}/files/${file}`, content);
  return { name, path, params, publish };
};

const reading =
  (wanted: string): Make =>
  async (fixture) => {
    const { path, params } = await published(fixture);
    return { params: { ...params, path: `${path}/${wanted}` } };
  };

/** The manifest of a recipe, whose other file is there. */
const completing: Make = async (fixture) => {
  const { params, publish } = await published(fixture);
  const files = recipeFiles();
  const path = `${recipePath(uniqueName('lib'))}/revisions/${revisionOf(files)}/files`;
  await publish(`${path}/conanfile.py`, files['conanfile.py'] ?? '');
  return { params: { ...params, path: `${path}/conanmanifest.txt` }, bytes: bytesOf(files['conanmanifest.txt'] ?? '') };
};

/** A file of a binary. */
const publishingBinary: Make = async (fixture) => {
  const { path, params } = await published(fixture);
  const files = binaryFiles();
  const file = `${path}/packages/${md5('id')}/revisions/${revisionOf(files)}/files/conaninfo.txt`;
  return { params: { ...params, path: file }, bytes: bytesOf(files['conaninfo.txt'] ?? '') };
};

const anything: Make = async (fixture) => ({ params: await inRepository(fixture) });

export const conan: FactsOf<'conan'> = {
  'conan/get-conan-ping': { answers: repositoryViewers('200'), cost: 'access', request: anything, ...ofPackages },
  'conan/get-conan-token': { answers: repositoryViewers('200'), cost: 'access', request: anything, ...ofPackages },
  'conan/get-conan-user': { answers: repositoryViewers('200'), cost: 'access', request: anything, ...ofPackages },
  'conan/get-conan-search': {
    answers: repositoryViewers('200'),
    cost: 'page',
    request: async (fixture) => {
      const { name, params } = await published(fixture);
      return { params, query: { q: `${name}/*` } };
    },
    otherWays: [
      async (fixture) => {
        const { name, params } = await published(fixture);
        return { params, query: { q: `${name.slice(0, -1)}*` } };
      },
    ],
    ...ofPackages,
  },
  'conan/get-conan-document': {
    answers: repositoryViewers('200'),
    cost: 'item',
    request: reading('files/conanfile.py'),
    otherWays: [reading('files'), reading('search')],
    ...ofPackages,
  },
  'conan/publish-conan-file': {
    answers: repositoryDeployers('201'),
    cost: 'publication',
    request: async (fixture) => {
      const params = await inRepository(fixture);
      const path = `${recipePath(uniqueName('lib'))}/revisions/${revisionOf(recipeFiles())}/files/conanfile.py`;
      return { params: { ...params, path }, bytes: bytesOf('a recipe') };
    },
    otherWays: [completing, publishingBinary],
    ...ofPackages,
  },
  'conan/delete-conan-content': {
    answers: repositoryManagers('200'),
    cost: 'deletion of versions',
    request: async (fixture) => {
      const { params, publish } = await published(fixture);
      const path = `${recipePath(uniqueName('lib'))}/revisions/${revisionOf(recipeFiles())}`;
      await publish(`${path}/files/conanfile.py`, 'a recipe');
      return { params: { ...params, path } };
    },
    otherWays: [
      async (fixture) => {
        const { path, params } = await published(fixture);
        return { params: { ...params, path } };
      },
    ],
    ...ofPackages,
  },
};
