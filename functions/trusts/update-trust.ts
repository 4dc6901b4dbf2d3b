import { ApiError, requireValid } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { findListed, listedRepositoryKeys } from '../../shared/http/listed-repositories.ts';
import { changeTrust, type Trust, type TrustTerms } from '../../shared/table/identity/trusts.ts';
import { trustKey } from '../../shared/table/keys.ts';
import { untilSettled } from '../../shared/table/races.ts';
import { updateTrust } from './contracts.ts';
import { trustRecord } from './record.ts';
import { targetTrustKeys, targetTrustOf } from './target-trust.ts';
import { conditionsOf, conditionsRule, termsViolations } from './terms.ts';

export const handler = endpoint(
  updateTrust,
  async (call) => {
    const { body, workspace, loaded, table } = call;
    const { audience, allowsPullRequests, lifetimeSeconds } = body;
    const listed = body.repositories && findListed(workspace.workspaceId, body.repositories, loaded);
    const changes: Partial<TrustTerms> = {
      ...(audience !== undefined && { audience }),
      ...(allowsPullRequests !== undefined && { allowsPullRequests }),
      ...(lifetimeSeconds !== undefined && { lifetimeSeconds }),
      ...(body.conditions && { conditions: conditionsOf(body.conditions) }),
      ...(listed && { repositories: listed.repositories }),
    };
    let current: Trust | undefined = targetTrustOf(call);
    const key = trustKey(current.trustId);
    return untilSettled(table, async (isAgain) => {
      if (isAgain) current = (await table.read([key])).find(key);
      if (!current) throw new ApiError('TRUST_NOT_FOUND');
      const violations = [...termsViolations({ ...current, ...changes }), ...(listed?.violations ?? [])];
      requireValid(violations);
      const changed = await changeTrust(table, current, changes);
      return changed === 'lost the race' ? undefined : trustRecord(changed);
    });
  },
  {
    rules: [conditionsRule],
    alsoRead: (request) => [...targetTrustKeys(request), ...listedRepositoryKeys(request)],
  },
);
