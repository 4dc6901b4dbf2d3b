import { contract } from '../../shared/http/contract.ts';
import { deleted, id, nullable, pageParameters } from '../../shared/http/fields.ts';
import { object } from '../../shared/http/schema.ts';
import {
  checked,
  checkSchema,
  exchangeParameters,
  exchangeSchema,
  issuer,
  name,
  provider,
  terms,
  trustSchema,
} from './schemas.ts';

export const exchangeToken = contract({
  id: 'trusts/exchange-token',
  method: 'POST',
  path: '/1/tokens/exchange',
  summary: 'Exchange an identity token for a token of a trust',
  description:
    'For pipelines: OAuth 2.0 Token Exchange (RFC 8693), as a form or as JSON. Parameters of a form that are empty or unknown are ignored. The token may do what the trust grants, works like every other token, and ends with the trust.',
  access: 'public',
  request: {
    kind: 'json',
    isAlsoForm: true,
    body: object(exchangeParameters, ['trust', 'audience', 'subject_token_type', 'grant_type', 'requested_token_type']),
    example: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      trust: '0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11',
      subject_token: 'eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    },
  },
  answer: { kind: 'json', success: 200, result: exchangeSchema },
  idempotencyKey: 'refused',
  errors: ['EXCHANGE_REFUSED'],
  table: ['BatchGetItem', 'PutItem', 'ConditionCheckItem', 'UpdateItem'],
});

/** The terms of a new trust, where null is as good as absent. */
const newTerms = {
  ...terms,
  allowsPullRequests: nullable(terms.allowsPullRequests),
  lifetimeSeconds: nullable(terms.lifetimeSeconds),
} as const;

export const createTrust = contract({
  id: 'trusts/create-trust',
  method: 'POST',
  path: '/1/workspaces/{workspace}/trusts',
  summary: "Create a trust in a pipeline's identity",
  description:
    'A pipeline that proves with an identity token (OpenID Connect) that it meets the conditions gets a token for an hour at most, without a stored secret.',
  access: 'workspace-admin',
  isDelicate: true,
  limitedTokens: 'refused',
  request: {
    kind: 'json',
    body: object({ name, provider, issuer: nullable(issuer), ...newTerms }, [
      'issuer',
      'allowsPullRequests',
      'lifetimeSeconds',
    ]),
  },
  answer: {
    kind: 'json',
    success: 201,
    result: trustSchema,
    location: '/1/workspaces/{workspaceId}/trusts/{id}',
  },
  idempotencyKey: 'taken',
  errors: ['TRUST_NAME_TAKEN'],
  table: ['PutItem', 'ConditionCheckItem'],
});

export const listTrusts = contract({
  id: 'trusts/list-trusts',
  method: 'GET',
  path: '/1/workspaces/{workspace}/trusts',
  summary: 'List the trusts of a workspace',
  description: 'Ordered by name.',
  access: 'workspace-admin',
  query: object(pageParameters, ['limit', 'cursor']),
  answer: { kind: 'list', items: trustSchema },
  errors: [],
  table: ['Query'],
});

export const getTrust = contract({
  id: 'trusts/get-trust',
  method: 'GET',
  path: '/1/workspaces/{workspace}/trusts/{trust}',
  summary: 'Get a trust',
  access: 'workspace-admin',
  answer: { kind: 'json', success: 200, result: trustSchema },
  errors: ['TRUST_NOT_FOUND'],
  table: [],
});

export const updateTrust = contract({
  id: 'trusts/update-trust',
  method: 'PATCH',
  path: '/1/workspaces/{workspace}/trusts/{trust}',
  summary: 'Update a trust',
  description:
    'Each field that you send replaces the old one as a whole. What the tokens of the trust may do changes with the next request; and if the audience, the conditions or the lifetime change, the tokens that it gave before end.',
  access: 'workspace-admin',
  isDelicate: true,
  limitedTokens: 'refused',
  request: {
    kind: 'json',
    body: object(terms, ['audience', 'conditions', 'allowsPullRequests', 'repositories', 'lifetimeSeconds']),
    immutable: ['id', 'workspaceId', 'name', 'provider', 'issuer', 'createdAt', 'createdBy'],
    example: { lifetimeSeconds: 600 },
  },
  answer: { kind: 'json', success: 200, result: trustSchema },
  errors: ['TRUST_NOT_FOUND'],
  table: ['PutItem'],
});

export const deleteTrust = contract({
  id: 'trusts/delete-trust',
  method: 'DELETE',
  path: '/1/workspaces/{workspace}/trusts/{trust}',
  summary: 'Delete a trust',
  description: 'Its tokens end with it: the next request with one of them is refused.',
  access: 'workspace-admin',
  answer: { kind: 'json', success: 200, result: object({ trustId: id, status: deleted }) },
  errors: ['TRUST_NOT_FOUND'],
  table: ['DeleteItem', 'PutItem'],
});

export const checkTrust = contract({
  id: 'trusts/check-trust',
  method: 'POST',
  limitedTokens: 'ask',
  path: '/1/workspaces/{workspace}/trusts/{trust}/check',
  summary: 'Check whether a trust would accept a token',
  description:
    'A dry run, with an identity token or with its claims: the answer says which condition does not hold, and gives no token.',
  access: 'workspace-admin',
  request: {
    kind: 'json',
    body: object(checked, ['token', 'claims']),
    example: { claims: { repository_id: '123456789', ref: 'refs/heads/main', event_name: 'push' } },
  },
  answer: { kind: 'json', success: 200, result: checkSchema },
  errors: ['TRUST_NOT_FOUND'],
  table: [],
});
