import { getNpmDocument, publishNpmPackage } from '../../functions/npm/contracts.ts';
import { repositoryDeployers, repositoryManagers, repositoryViewers } from '../harness/callers.ts';
import type { FactsOf } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { publishBody } from '../harness/npm.ts';
import { uniqueName } from '../harness/world.ts';
import { deleteVersion, ofPackages } from './of-packages.ts';

const json = (value: unknown) => ({ content: JSON.stringify(value), mediaType: 'application/json' });

/** A package of the fixture's npm repository, as its name. */
const published = async (
  { client, workspace, repository, systemAdmin }: Fixture,
  name = uniqueName('package'),
): Promise<string> => {
  const params = { workspace: workspace.id, repository: repository.id, path: name };
  const answer = await client.attempt(publishNpmPackage, {
    params,
    bytes: json(publishBody(name)),
    as: systemAdmin.bearer,
  });
  if (answer.status !== 201) throw new Error(`The package was not published: ${answer.text}`);
  return name;
};

/** The path at which npm deletes a package that it has read. */
const revisionPath = async ({ client, workspace, repository, systemAdmin }: Fixture, name: string): Promise<string> => {
  const params = { workspace: workspace.id, repository: repository.id, path: name };
  const { text } = await client.attempt(getNpmDocument, { params, as: systemAdmin.bearer });
  const { _rev: revision } = JSON.parse(text) as { readonly _rev: string };
  return `${name}/-rev/${revision}`;
};

const tagPath = async (fixture: Fixture): Promise<string> => `${await published(fixture)}/dist-tags/beta`;

export const npm: FactsOf<'npm'> = {
  'npm/publish-npm-package': {
    answers: repositoryDeployers('201'),
    cost: 'publication',
    request: async (fixture) => {
      const path = await published(fixture);
      await deleteVersion(fixture, fixture.repository.id, { name: path, version: '1.0.0' });
      return { params: { path }, bytes: json(publishBody(path)) };
    },
    ...ofPackages,
  },
  'npm/delete-npm-package': {
    answers: repositoryManagers('200'),
    cost: 'deletion of versions',
    request: async (fixture) => ({ params: { path: await revisionPath(fixture, await published(fixture)) } }),
    ...ofPackages,
  },
  'npm/get-npm-document': {
    answers: repositoryViewers('200'),
    cost: 'item',
    request: async (fixture) => ({ params: { path: await published(fixture) } }),
    ...ofPackages,
  },
  'npm/get-dist-tags': {
    answers: repositoryViewers('200'),
    cost: 'item',
    request: async (fixture) => ({ params: { path: `${await published(fixture)}/dist-tags` } }),
    ...ofPackages,
  },
  'npm/update-dist-tag': {
    answers: repositoryDeployers('201'),
    cost: 'creation',
    request: async (fixture) => ({ params: { path: await tagPath(fixture) }, bytes: json('1.0.0') }),
    ...ofPackages,
  },
  'npm/delete-dist-tag': {
    answers: repositoryDeployers('200'),
    cost: 'change',
    request: async (fixture) => ({ params: { path: await tagPath(fixture) } }),
    ...ofPackages,
  },
  'npm/get-npm-search': {
    answers: repositoryViewers('200'),
    cost: 'page of packages',
    request: async (fixture) => {
      const scope = uniqueName('scope');
      await published(fixture, `@${scope}/package`);
      return { query: { text: `scope:${scope}` } };
    },
    ...ofPackages,
  },
  'npm/get-npm-user': {
    answers: repositoryViewers('200'),
    cost: 'access',
    request: async () => ({}),
    ...ofPackages,
  },
  'npm/create-npm-token': {
    // Their credentials are in the Authorization header, because the body has no password.
    answers: repositoryViewers('201'),
    cost: 'document',
    request: async () => ({ params: { path: 'org.couchdb.user:anybody' }, bytes: json({}) }),
    otherWays: [
      async ({ world }) => {
        const { username, password } = await world.systemAdmin();
        return { params: { path: `org.couchdb.user:${username}` }, bytes: json({ name: username, password }) };
      },
    ],
    ...ofPackages,
  },
  'npm/delete-npm-token': {
    // One's own token only, whatever the role: it is the system admin's.
    answers: { ...repositoryViewers('404 TOKEN_NOT_FOUND'), systemAdmin: '200' },
    cost: 'end of a token',
    request: async ({ world, systemAdmin }) => ({ params: { token: (await world.token(systemAdmin)).token } }),
    ...ofPackages,
  },
  'npm/update-npm-account': {
    answers: repositoryViewers('404 ROUTE_NOT_FOUND'),
    cost: 'access',
    request: async () => ({ params: { path: 'npm/v1/tokens' } }),
    ...ofPackages,
  },
  'npm/check-npm-packages': {
    answers: repositoryViewers('200'),
    // Of a local repository, nobody is asked, and nothing is read for it.
    cost: 'item',
    request: async () => ({ params: { path: 'advisories/bulk' }, bytes: json({ axios: ['1.14.1'] }) }),
    ...ofPackages,
  },
  'npm/get-npm-ping': {
    answers: repositoryViewers('200'),
    cost: 'access',
    request: async () => ({}),
    ...ofPackages,
  },
};
