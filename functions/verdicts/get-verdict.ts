import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { getVerdict } from './contracts.ts';
import { targetVerdictKeys, targetVerdictOf, verdictRecord } from './target-verdict.ts';

export const handler = endpoint(
  getVerdict,
  async (call) => {
    const { ref, verdict } = targetVerdictOf(call);
    if (!verdict) throw new ApiError('VERDICT_NOT_FOUND');
    return verdictRecord(ref, verdict);
  },
  { alsoRead: targetVerdictKeys },
);
