import { everybody, workspaceAdmins } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import { sharedIssuer, trustBody, trustOf } from '../harness/trusts.ts';

const aboutTrust: Make = async (fixture) => ({ params: { trust: (await trustOf(fixture)).id } });

export const trusts: FactsOf<'trusts'> = {
  'trusts/exchange-token': {
    answers: everybody('200'),
    calls: 2,
    // The trust; and the check of its workspace, the token, the record with its copy in the index, and, once an hour, the trust.
    units: [1, 9],
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
    calls: 2,
    // Beside what every request of a workspace reads: the repository. The check of the workspace is an action like a write, and
    // the record of all fields has more than a kilobyte.
    units: [5, 12],
    request: async ({ repository }) => ({ body: trustBody(repository) }),
    released: ({ workspaces, repositories }) => ({
      params: { workspace: workspaces.full.name },
      body: trustBody(repositories.local),
      expected: { repositories: [expect.objectContaining({ repositoryName: repositories.local.name })] },
    }),
  },
  'trusts/list-trusts': {
    answers: workspaceAdmins('200'),
    calls: 3,
    units: [7, 0],
    released: 'about what no release has stored',
  },
  'trusts/get-trust': {
    answers: workspaceAdmins('200'),
    calls: 1,
    units: [5, 0],
    request: aboutTrust,
    released: 'about what no release has stored',
  },
  'trusts/update-trust': {
    answers: workspaceAdmins('200'),
    calls: 2,
    units: [5, 5],
    request: async (fixture) => ({ ...(await aboutTrust(fixture)), body: { lifetimeSeconds: 60 } }),
    released: 'about what no release has stored',
  },
  'trusts/check-trust': {
    answers: workspaceAdmins('200'),
    calls: 1,
    units: [5, 0],
    request: async (fixture) => ({ ...(await aboutTrust(fixture)), body: { claims: { repository_id: '123456789' } } }),
    released: 'about what no release has stored',
  },
  'trusts/delete-trust': {
    answers: workspaceAdmins('200'),
    calls: 2,
    units: [5, 10],
    request: aboutTrust,
    released: 'about what no release has stored',
  },
};
