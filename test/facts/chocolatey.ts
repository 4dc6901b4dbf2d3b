import { publishChocolateyPackage, removeChocolateyListing } from '../../functions/chocolatey/contracts.ts';
import { repositoryDeployers, repositoryViewers } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { typedRepository } from '../harness/repositories.ts';
import { uniqueName } from '../harness/world.ts';
import { nupkgOf, pushForm, type TestPackage } from '../types/nupkgs.ts';
import { deleteVersion, ofPackages } from './of-packages.ts';

const inRepository = async (fixture: Fixture) => ({ repository: (await typedRepository(fixture, 'chocolatey')).name });

/** A version of a package of the fixture, and where it is. */
const published = async (fixture: Fixture) => {
  const each: TestPackage = { id: uniqueName('package'), version: '1.0.0' };
  const params = { workspace: fixture.workspace.id, ...(await inRepository(fixture)) };
  const bytes = pushForm(nupkgOf(each));
  const as = fixture.systemAdmin.bearer;
  const answer = await fixture.client.attempt(publishChocolateyPackage, { params, bytes, as });
  if (answer.status !== 201) throw new Error(`The package was not published: ${answer.text}`);
  return { params, each };
};

const publishing: Make = async (fixture) => {
  const { params, each } = await published(fixture);
  await deleteVersion(fixture, params.repository, { name: each.id, version: each.version });
  return { params: { repository: params.repository }, bytes: pushForm(nupkgOf(each)) };
};

const ofVersion: Make = async (fixture) => {
  const { params, each } = await published(fixture);
  return { params: { ...params, path: `${each.id}/${each.version}` } };
};

const document =
  (pathOf: (id: string) => string, queryOf: (id: string) => Readonly<Record<string, string>> = () => ({})): Make =>
  async (fixture) => {
    const { params, each } = await published(fixture);
    return { params: { ...params, path: pathOf(each.id) }, query: queryOf(each.id) };
  };

export const chocolatey: FactsOf<'chocolatey'> = {
  'chocolatey/get-chocolatey-service': {
    answers: repositoryViewers('200'),
    cost: 'access',
    request: async (fixture) => ({ params: await inRepository(fixture) }),
    ...ofPackages,
  },
  'chocolatey/get-chocolatey-document': {
    answers: repositoryViewers('200'),
    cost: 'item',
    request: document((id) => `package/${id}/1.0.0`),
    otherWays: [
      document(
        () => 'FindPackagesById()',
        (id) => ({ id: `'${id}'` }),
      ),
      document((id) => `Packages(Id='${id}',Version='1.0.0')`),
      document(
        () => 'Packages()',
        (id) => ({ $filter: `(tolower(Id) eq '${id}') and IsLatestVersion` }),
      ),
      document(
        () => 'Search()',
        (id) => ({ searchTerm: `'${id}'` }),
      ),
      document((id) => `package-versions/${id}`),
      document(
        () => 'package-ids',
        (id) => ({ partialId: id }),
      ),
      document(() => '$metadata'),
    ],
    ...ofPackages,
  },
  'chocolatey/get-chocolatey-resource': {
    answers: repositoryViewers('200'),
    cost: 'item',
    request: document((id) => `flat/${id}/1.0.0/${id}.1.0.0.nupkg`),
    otherWays: [
      document((id) => `flat/${id}/index.json`),
      document((id) => `registration/${id}/index.json`),
      document(() => 'index.json'),
      document(
        () => 'query',
        (q) => ({ q }),
      ),
      document(
        () => 'autocomplete',
        (id) => ({ id }),
      ),
    ],
    ...ofPackages,
  },
  'chocolatey/publish-chocolatey-package': {
    answers: repositoryDeployers('201'),
    cost: 'publication',
    request: publishing,
    ...ofPackages,
  },
  'chocolatey/add-chocolatey-package': {
    answers: repositoryDeployers('201'),
    cost: 'publication',
    request: publishing,
    ...ofPackages,
  },
  'chocolatey/remove-chocolatey-listing': {
    answers: repositoryDeployers('204'),
    cost: 'change of a version',
    request: ofVersion,
    ...ofPackages,
  },
  'chocolatey/add-chocolatey-listing': {
    answers: repositoryDeployers('200'),
    cost: 'change of a version',
    request: async (fixture) => {
      const made = await ofVersion(fixture);
      await fixture.client.attempt(removeChocolateyListing, { params: made.params, as: fixture.systemAdmin.bearer });
      return made;
    },
    ...ofPackages,
  },
};
