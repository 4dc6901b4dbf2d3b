import { repositoryDeployers, repositoryViewers } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { moduleZip, putModule } from '../harness/go-modules.ts';
import { typedRepository } from '../harness/typed-repository.ts';
import { uniqueName } from '../harness/world.ts';
import { ofPackages } from './of-packages.ts';

const version = 'v1.0.0';

/** A module of the fixture's repository, and the path of what is asked of it. */
const published =
  (path: string): Make =>
  async (fixture: Fixture) => {
    const repository = await typedRepository(fixture, 'go');
    const name = `corp.example/${uniqueName('module')}`;
    const place = { ...fixture, repository, as: fixture.systemAdmin.bearer };
    const answer = await putModule(fixture, place, { name, version });
    if (answer.status !== 201) throw new Error(`The module was not published: ${answer.text}`);
    return { params: { repository: repository.name, path: `${name}/${path}` } };
  };

export const go: FactsOf<'go'> = {
  'go/publish-go-module': {
    answers: repositoryDeployers('201'),
    // The zip and its go.mod name the module, so both are new blobs.
    calls: 5,
    units: [12, 30],
    request: async (fixture) => {
      const repository = await typedRepository(fixture, 'go');
      const name = `corp.example/${uniqueName('module')}`;
      return {
        params: { repository: repository.name, path: `${name}/@v/${version}.zip` },
        bytes: { content: moduleZip(name, version), mediaType: 'application/zip' },
      };
    },
    ...ofPackages,
  },
  'go/get-go-file': {
    answers: repositoryViewers('200'),
    calls: 1,
    units: [8, 0],
    request: published(`@v/${version}.zip`),
    otherWays: [published('@v/list'), published('@latest')],
    ...ofPackages,
  },
};
