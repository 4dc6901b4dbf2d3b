import { publishNugetPackage, publishNugetSymbols, removeNugetListing } from '../../functions/nuget/contracts.ts';
import { deletePackageVersion } from '../../functions/packages/contracts.ts';
import { updateWorkspace } from '../../functions/workspaces/contracts.ts';
import { repositoryDeployers, repositoryViewers } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { typedRepository } from '../harness/repositories.ts';
import { uniqueName } from '../harness/world.ts';
import { nupkgOf, pushForm, symbolsOf, type TestPackage } from '../types/nupkgs.ts';
import { deleteVersion, ofPackages } from './of-packages.ts';

const inRepository = async (fixture: Fixture) => ({ repository: (await typedRepository(fixture, 'nuget')).name });

const newPackage = (): TestPackage => ({ id: uniqueName('package'), version: '1.0.0' });

/** A version of a package of the fixture, as the parameters of its path. */
const published = async (fixture: Fixture, each = newPackage()) => {
  const params = { workspace: fixture.workspace.id, ...(await inRepository(fixture)) };
  const bytes = pushForm(nupkgOf(each));
  const answer = await fixture.client.attempt(publishNugetPackage, { params, bytes, as: fixture.systemAdmin.bearer });
  if (answer.status !== 201) throw new Error(`The package was not published: ${answer.text}`);
  return { ...params, package: each.id, version: each.version };
};

const publishing: Make = async (fixture) => {
  const each = newPackage();
  const { repository } = await published(fixture, each);
  await deleteVersion(fixture, repository, { name: each.id, version: each.version });
  return { params: { repository }, bytes: pushForm(nupkgOf(each)) };
};

/** The symbols of a version that has been published with them, deleted, and published without them: their bytes are known. */
const symbolsIn = async (fixture: Fixture, params: { readonly workspace: string; readonly repository: string }) => {
  const each = newPackage();
  const as = fixture.systemAdmin.bearer;
  const version = pushForm(nupkgOf(each));
  const bytes = pushForm(symbolsOf(each));
  await fixture.client.attempt(publishNugetPackage, { params, bytes: version, as });
  await fixture.client.attempt(publishNugetSymbols, { params, bytes, as });
  const deleted = { ...params, package: each.id, version: each.version };
  await fixture.client.succeed(deletePackageVersion, { params: deleted, as });
  await fixture.client.attempt(publishNugetPackage, { params, bytes: version, as });
  return bytes;
};

const publishingSymbols: Make = async (fixture) => {
  const { repository } = await inRepository(fixture);
  return { params: { repository }, bytes: await symbolsIn(fixture, { workspace: fixture.workspace.id, repository }) };
};

/** Within a limit the usage is read. */
const inLimitedWorkspace: Make = async (fixture) => {
  const { client, world, systemAdmin } = fixture;
  const workspace = await world.workspace();
  const { id: repository } = await world.repository(workspace, undefined, 'nuget');
  const params = { workspace: workspace.id, repository };
  await client.succeed(updateWorkspace, { params, body: { storageLimit: 1_000_000 }, as: systemAdmin.bearer });
  return { params, bytes: await symbolsIn(fixture, params) };
};

const ofVersion: Make = async (fixture) => ({ params: await published(fixture) });

const document =
  (pathOf: (id: string) => string): Make =>
  async (fixture) => {
    const { package: id, version: _version, ...params } = await published(fixture);
    return { params: { ...params, path: pathOf(id) } };
  };

const searching: Make = async (fixture) => {
  const { package: q, version: _version, ...params } = await published(fixture);
  return { params, query: { q } };
};

export const nuget: FactsOf<'nuget'> = {
  'nuget/get-nuget-document': {
    answers: repositoryViewers('200'),
    cost: 'item',
    request: document((id) => `v3/flat/${id}/1.0.0/${id}.1.0.0.nupkg`),
    otherWays: [
      document((id) => `v3/flat/${id}/index.json`),
      document((id) => `v3/flat/${id}/1.0.0/${id}.nuspec`),
      document((id) => `v3/registration/${id}/index.json`),
      document(() => 'v3/index.json'),
    ],
    ...ofPackages,
  },
  'nuget/get-nuget-search': {
    answers: repositoryViewers('200'),
    cost: 'page',
    request: searching,
    ...ofPackages,
  },
  'nuget/get-nuget-completion': {
    answers: repositoryViewers('200'),
    cost: 'page',
    request: searching,
    otherWays: [
      async (fixture) => {
        const { package: id, version: _version, ...params } = await published(fixture);
        return { params, query: { id } };
      },
    ],
    ...ofPackages,
  },
  'nuget/get-nuget-vulnerabilities': {
    answers: repositoryViewers('200'),
    cost: 'item',
    request: async (fixture) => ({ params: { ...(await inRepository(fixture)), page: 'index.json' } }),
    ...ofPackages,
  },
  'nuget/publish-nuget-package': {
    answers: repositoryDeployers('201'),
    cost: 'publication',
    request: publishing,
    ...ofPackages,
  },
  'nuget/publish-nuget-symbols': {
    answers: repositoryDeployers('201'),
    cost: 'publication',
    request: publishingSymbols,
    otherWays: [inLimitedWorkspace],
    ...ofPackages,
  },
  'nuget/remove-nuget-listing': {
    answers: repositoryDeployers('204'),
    cost: 'change of a version',
    request: ofVersion,
    ...ofPackages,
  },
  'nuget/add-nuget-listing': {
    answers: repositoryDeployers('200'),
    cost: 'change of a version',
    request: async (fixture) => {
      const params = await published(fixture);
      await fixture.client.attempt(removeNugetListing, { params, as: fixture.systemAdmin.bearer });
      return { params };
    },
    ...ofPackages,
  },
};
