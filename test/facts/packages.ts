import { publishPackage } from '../../functions/packages/contracts.ts';
import { publishUniversalFile } from '../../functions/universal/contracts.ts';
import { packageTypes } from '../../shared/package-types.ts';
import {
  repositoryDeployers,
  repositoryManagers,
  repositoryViewers,
  workspaceAdmins,
  workspaceMembers,
} from '../harness/callers.ts';
import type { FactsOf, Make, ReleasedRequest } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { packed } from '../harness/npm.ts';
import { formOf } from '../harness/uploads.ts';
import { uniqueName } from '../harness/world.ts';
import { ofPackages } from './of-packages.ts';
import { content, uploads } from './uploads.ts';

const onLocal: ReleasedRequest = ({ workspaces, repositories }) => ({
  params: { workspace: workspaces.full.id, repository: repositories.local.id },
});

/** A package of one version with one file, in the universal repository of the fixture. */
const published = async ({ client, workspace, universal, systemAdmin }: Fixture) => {
  const name = uniqueName('package');
  const params = { workspace: workspace.id, repository: universal.id };
  const { status, text } = await client.attempt(publishUniversalFile, {
    params: { ...params, path: `${name}/1.0.0/file.txt` },
    bytes: { content: name, mediaType: 'application/octet-stream' },
    as: systemAdmin.bearer,
  });
  if (status !== 201) throw new Error(`The file was not published: ${text}`);
  return { repository: universal.id, package: name, version: '1.0.0' };
};

/** A version with a README. */
const presented = async ({ client, repository: { id: repository }, workspace, systemAdmin }: Fixture) => {
  const name = uniqueName('package');
  const bytes = formOf([
    { file: 'package.tgz', content: await packed({ name, version: '1.0.0' }, { 'README.md': '# Hello' }) },
  ]);
  const { status, text } = await client.attempt(publishPackage, {
    params: { workspace: workspace.id, repository },
    bytes,
    as: systemAdmin.bearer,
  });
  if (status !== 201) throw new Error(`The version was not published: ${text}`);
  return { repository, package: name, version: '1.0.0' };
};

const request: Make = async (fixture) => ({ params: await published(fixture) });

/** A repository of its own with one package. */
const ofFilledRepository: Make = async (fixture) => {
  const universal = await fixture.world.repository(fixture.workspace, undefined, 'universal');
  return { params: await published({ ...fixture, universal }) };
};

const formOfFile: Make = async ({ universal }) => ({
  params: { repository: universal.id },
  bytes: formOf([
    { field: 'packageName', value: uniqueName('package') },
    { field: 'packageVersion', value: '1.0.0' },
    { file: 'file.txt', content },
  ]),
});

export const packages: FactsOf<'packages'> = {
  'packages/check-version': {
    answers: repositoryViewers('200'),
    cost: 'access',
    request: async () => ({ body: { packageName: 'axios', version: '1.14.1' } }),
    released: (world) => ({
      ...onLocal(world),
      body: { packageName: 'axios', version: '1.14.1' },
      expected: { repositories: [] },
    }),
  },
  'packages/list-downloads': {
    answers: workspaceAdmins('200'),
    cost: 'access',
    request: async () => ({ query: { packageType: 'npm', packageName: 'axios', version: '1.14.1' } }),
    // Each type has a log of its own.
    otherWays: packageTypes.map((packageType) => async () => ({
      query: { packageType, packageName: 'axios', version: packageType === 'conan' ? '1.14.1#1a2b3c' : '1.14.1' },
    })),
    released: ({ workspaces }) => ({
      params: { workspace: workspaces.full.id },
      query: { packageType: 'npm', packageName: 'axios', version: '1.14.1' },
      expected: { downloads: [], nextCursor: null },
    }),
  },
  'packages/list-packages': {
    answers: repositoryViewers('200'),
    // The entries and the number of packages, then the packages of the page.
    cost: 'page of packages',
    request: async (fixture) => {
      const params = await published(fixture);
      return { params, query: { search: params.package } };
    },
    otherWays: [async ({ universal }) => ({ params: { repository: universal.id }, query: { limit: 1 } })],
    released: (world) => ({ ...onLocal(world), expected: { total: 0, packages: [] } }),
  },
  'packages/get-package': {
    answers: repositoryViewers('200'),
    cost: 'document',
    request,
    ...ofPackages,
  },
  'packages/list-package-versions': {
    answers: repositoryViewers('200'),
    cost: 'page',
    request,
    ...ofPackages,
  },
  'packages/get-package-version': {
    answers: repositoryViewers('200'),
    cost: 'page of packages',
    request,
    ...ofPackages,
  },
  'packages/get-package-readme': {
    answers: repositoryViewers('200'),
    cost: 'page of packages',
    request: async (fixture) => ({ params: await presented(fixture) }),
    released: 'about what no release has stored',
    examples: [],
  },
  'packages/delete-package-version': {
    answers: repositoryManagers('200'),
    // The package, the version and its files are read; one transaction deletes them.
    cost: 'deletion of versions',
    request,
    ...ofPackages,
  },
  'packages/delete-package': {
    answers: repositoryManagers('200'),
    cost: 'deletion of versions',
    request,
    ...ofPackages,
  },
  'packages/get-repository-usage': {
    answers: repositoryViewers('200'),
    cost: 'document',
    released: (world) => ({ ...onLocal(world), expected: { bytes: 0, files: 0, packages: 0 } }),
  },
  'packages/get-workspace-usage': {
    answers: workspaceMembers('200'),
    cost: 'page',
    released: ({ workspaces }) => ({
      params: { workspace: workspaces.full.id },
      expected: { bytes: 0, files: 0, packages: 0 },
    }),
  },
  'packages/publish-package': {
    answers: repositoryDeployers('201'),
    cost: 'publication',
    request: formOfFile,
    ...ofPackages,
  },
  ...uploads,
  'packages/delete-content': {
    answers: repositoryManagers('200'),
    cost: 'emptying',
    otherWays: [ofFilledRepository],
    released: onLocal,
  },
};
