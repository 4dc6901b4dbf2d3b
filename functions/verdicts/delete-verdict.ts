import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { settleVerdict } from './change.ts';
import { deleteVerdict } from './contracts.ts';
import { targetVerdictKeys, targetVerdictOf } from './target-verdict.ts';

export const handler = endpoint(
  deleteVerdict,
  async (call) => {
    const target = targetVerdictOf(call);
    await settleVerdict(call.table, target, (before) => {
      if (!before) throw new ApiError('VERDICT_NOT_FOUND');
      return undefined;
    });
    const { workspaceId, packageType } = target.ref;
    return { workspaceId, packageType, package: target.name, status: 'deleted' as const };
  },
  { alsoRead: targetVerdictKeys },
);
