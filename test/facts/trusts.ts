import { everybody, workspaceAdmins } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import { sharedIssuer, trustBody, trustOf } from '../harness/trusts.ts';

const aboutTrust: Make = async (fixture) => ({ params: { trust: (await trustOf(fixture)).id } });

export const trusts: FactsOf<'trusts'> = {
  'trusts/exchange-token': {
    answers: everybody('200'),
    // The trust; and the check of its workspace, the token, the record with its copy in the index, and, once an hour, the trust.
    cost: 'creation',
    request: async (fixture) => {
      const issuer = await sharedIssuer();
      const { id } = await trustOf(fixture, { issuer: issuer.url });
      return { body: { trust: id, subject_token: issuer.token() } };
    },
    released: 'about what no release has stored',
    // No signature in a document lasts, so the suite of the endpoint has what succeeds.
    examples: [],
  },
  'trusts/create-trust': {
    answers: workspaceAdmins('201'),
    // Beside what every request of a workspace reads: the repository. The check of the workspace is an action like a write, and
    // the record of all fields has more than a kilobyte.
    cost: 'creation',
    request: async ({ repository }) => ({ body: trustBody(repository) }),
    released: ({ workspaces, repositories }) => ({
      params: { workspace: workspaces.full.name },
      body: trustBody(repositories.local),
      expected: { repositories: [expect.objectContaining({ repositoryName: repositories.local.name })] },
    }),
  },
  'trusts/list-trusts': {
    answers: workspaceAdmins('200'),
    cost: 'page',
    request: async (fixture) => {
      await trustOf(fixture);
      return {};
    },
    released: 'about what no release has stored',
  },
  'trusts/get-trust': {
    answers: workspaceAdmins('200'),
    cost: 'item',
    request: aboutTrust,
    released: 'about what no release has stored',
  },
  'trusts/update-trust': {
    answers: workspaceAdmins('200'),
    cost: 'change',
    request: async (fixture) => ({ ...(await aboutTrust(fixture)), body: { lifetimeSeconds: 60 } }),
    released: 'about what no release has stored',
  },
  'trusts/check-trust': {
    answers: workspaceAdmins('200'),
    cost: 'item',
    request: async (fixture) => ({ ...(await aboutTrust(fixture)), body: { claims: { repository_id: '123456789' } } }),
    released: 'about what no release has stored',
  },
  'trusts/delete-trust': {
    answers: workspaceAdmins('200'),
    cost: 'creation',
    request: aboutTrust,
    released: 'about what no release has stored',
  },
};
