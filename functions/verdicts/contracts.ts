import { contract } from '../../shared/http/contract.ts';
import { deleted, id, pageParameters } from '../../shared/http/fields.ts';
import { object } from '../../shared/http/schema.ts';
import { packageType, shownPackage, verdictBody, verdictSchema } from './schemas.ts';

const verdicts = '/1/workspaces/{workspace}/verdicts';
const verdict = `${verdicts}/{packageType}/{package}` as const;

export const updateVerdict = contract({
  id: 'verdicts/update-verdict',
  method: 'PUT',
  path: verdict,
  summary: 'Block or allow versions of a package',
  description:
    'For all remote repositories of the type, with a release gate or without one, from the next request on. A name that ends in `*` stands for all names with this beginning. The most exact verdict counts: one on versions before one on all of a name, and that before one on the beginning of names; of two that are as exact, the one that blocks. The versions of images are digests and tags. Local repositories are not concerned. A verdict replaces the one before on the same name.',
  access: 'workspace-admin',
  request: {
    kind: 'json',
    body: verdictBody,
    example: { verdict: 'block', versions: ['1.14.1'], reason: 'Hijacked: it installs a remote access tool.' },
  },
  answer: { kind: 'json', success: 200, result: verdictSchema },
  errors: ['TOO_MANY_VERDICTS'],
  table: ['PutItem', 'ConditionCheckItem'],
});

export const listVerdicts = contract({
  id: 'verdicts/list-verdicts',
  method: 'GET',
  path: verdicts,
  summary: 'List the verdicts of a workspace',
  description: 'Ordered by package type and name. Those that have ended are left out.',
  access: 'workspace-member',
  query: object(pageParameters, ['limit', 'cursor']),
  answer: { kind: 'list', items: verdictSchema },
  errors: [],
  table: ['Query'],
});

export const getVerdict = contract({
  id: 'verdicts/get-verdict',
  method: 'GET',
  path: verdict,
  summary: 'Get a verdict',
  access: 'workspace-member',
  answer: { kind: 'json', success: 200, result: verdictSchema },
  errors: ['VERDICT_NOT_FOUND'],
  table: [],
});

export const deleteVerdict = contract({
  id: 'verdicts/delete-verdict',
  method: 'DELETE',
  path: verdict,
  summary: 'Delete a verdict',
  description: 'From the next request on, the release gates decide again.',
  access: 'workspace-admin',
  answer: {
    kind: 'json',
    success: 200,
    result: object({ workspaceId: id, packageType, package: shownPackage, status: deleted }),
  },
  errors: ['VERDICT_NOT_FOUND'],
  table: ['PutItem', 'ConditionCheckItem'],
});
