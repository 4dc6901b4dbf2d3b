import { ApiError, requireValid, type Violation } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { findListed, listedRepositoryKeys } from '../../shared/http/listed-repositories.ts';
import { insertTrust } from '../../shared/table/identity/trusts.ts';
import { trustKey } from '../../shared/table/keys.ts';
import type { TrustProvider } from '../../shared/trust-providers.ts';
import { createTrust } from './contracts.ts';
import { providerFacts } from './providers.ts';
import { trustRecord } from './record.ts';
import { lifetimeSecondsMax } from './schemas.ts';
import { conditionsOf, conditionsRule, issuerViolations, termsViolations } from './terms.ts';

const missingIssuer = (provider: TrustProvider): Violation => {
  const message = `issuer is required for ${provider}: it must be the URL in the claim iss.`;
  return { pointer: '/issuer', rule: 'required', message };
};

export const handler = endpoint(
  createTrust,
  async ({ body, caller, workspace: { workspaceId }, loaded, table, remember }) => {
    const issuer = body.issuer ?? providerFacts[body.provider].issuer;
    const terms = {
      name: body.name,
      provider: body.provider,
      issuer: issuer ?? '',
      audience: body.audience,
      conditions: conditionsOf(body.conditions),
      allowsPullRequests: body.allowsPullRequests ?? false,
      lifetimeSeconds: body.lifetimeSeconds ?? lifetimeSecondsMax,
    };
    const { repositories, violations: ofRepositories } = findListed(workspaceId, body.repositories, loaded);
    const ofIssuer = issuer === undefined ? [missingIssuer(body.provider)] : issuerViolations(issuer);
    const violations = [...ofIssuer, ...termsViolations(terms), ...ofRepositories];
    requireValid(violations);
    const createdBy = caller.user.userId;
    const created = await insertTrust(table, { ...terms, repositories, workspaceId, createdBy }, remember);
    if (created === 'workspace gone') throw new ApiError('WORKSPACE_NOT_FOUND');
    if (created === 'name taken')
      throw new ApiError('TRUST_NAME_TAKEN', `A trust named '${body.name}' already exists in this workspace.`);
    return trustRecord(created);
  },
  {
    rules: [conditionsRule],
    alsoRead: listedRepositoryKeys,
    answerAgain: async ({ table }, trustId) => {
      const key = trustKey(trustId);
      const trust = (await table.read([key])).find(key);
      return trust && trustRecord(trust);
    },
  },
);
