import { endpoint } from '../../shared/http/endpoint.ts';
import { removeTrust } from '../../shared/table/identity/trusts.ts';
import { deleteTrust } from './contracts.ts';
import { targetTrustKeys, targetTrustOf } from './target-trust.ts';

export const handler = endpoint(
  deleteTrust,
  async (call) => {
    const trust = targetTrustOf(call);
    await removeTrust(call.table, trust);
    return { trustId: trust.trustId, status: 'deleted' as const };
  },
  { alsoRead: targetTrustKeys },
);
