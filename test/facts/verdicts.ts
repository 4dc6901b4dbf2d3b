import { updateVerdict } from '../../functions/verdicts/contracts.ts';
import { workspaceAdmins, workspaceMembers } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';

const body = { verdict: 'block' as const, versions: ['1.14.1'], reason: 'Hijacked' };

/** All verdicts about a type of packages are one item: about one package, it is the same after each request. */
const inPath = { packageType: 'npm', package: 'axios' } as const;

const onPackage: Make = async ({ client, workspace, systemAdmin }) => {
  await client.succeed(updateVerdict, {
    params: { workspace: workspace.id, ...inPath },
    body,
    as: systemAdmin.bearer,
  });
  return { params: inPath };
};

export const verdicts: FactsOf<'verdicts'> = {
  'verdicts/update-verdict': {
    answers: workspaceAdmins('200'),
    cost: 'change',
    request: async () => ({ params: inPath, body }),
    released: ({ workspaces }) => ({
      params: { workspace: workspaces.full.name, ...inPath },
      body,
      expected: { verdict: 'block' },
    }),
  },
  'verdicts/list-verdicts': {
    answers: workspaceMembers('200'),
    cost: 'document',
    released: ({ workspaces }) => ({ params: { workspace: workspaces.full.name }, expected: expect.any(Array) }),
  },
  'verdicts/get-verdict': {
    answers: workspaceMembers('200'),
    cost: 'item',
    request: onPackage,
    released: 'about what no release has stored',
  },
  'verdicts/delete-verdict': {
    answers: workspaceAdmins('200'),
    cost: 'change',
    request: onPackage,
    released: 'about what no release has stored',
  },
};
