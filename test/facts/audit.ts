import { systemAdmins, workspaceAdmins } from '../harness/callers.ts';
import type { FactsOf } from '../harness/endpoint-facts.ts';

export const audit: FactsOf<'audit'> = {
  'audit/list-workspace-records': {
    answers: workspaceAdmins('200'),
    cost: 'document',
    released: 'about what no release has stored',
  },
  'audit/list-records': {
    answers: systemAdmins('200'),
    // One query of each partition of the index, each half a unit.
    cost: 'page of months',
    otherWays: [async ({ workspace }) => ({ query: { workspace: workspace.id } })],
    released: 'about what no release has stored',
  },
};
