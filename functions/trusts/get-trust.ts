import { endpoint } from '../../shared/http/endpoint.ts';
import { getTrust } from './contracts.ts';
import { trustRecord } from './record.ts';
import { targetTrustKeys, targetTrustOf } from './target-trust.ts';

export const handler = endpoint(getTrust, async (call) => trustRecord(targetTrustOf(call)), {
  alsoRead: targetTrustKeys,
});
