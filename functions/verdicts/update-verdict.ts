import type { Violation } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { isFuture } from '../../shared/http/times.ts';
import { settleVerdict } from './change.ts';
import { updateVerdict } from './contracts.ts';
import { allowedEnd } from './schemas.ts';
import { targetVerdictKeys, targetVerdictOf, verdictRecord } from './target-verdict.ts';

interface Sent {
  readonly versions?: readonly string[] | undefined;
  readonly expiresAt?: string | null | undefined;
}

const endRule = ({ expiresAt }: Sent): readonly Violation[] =>
  typeof expiresAt === 'string' && !isFuture(expiresAt)
    ? [{ pointer: '/expiresAt', rule: 'future', message: `expiresAt must be ${allowedEnd}.` }]
    : [];

const versionsRule = ({ versions = [] }: Sent): readonly Violation[] =>
  versions.includes('*') && versions.length > 1
    ? [
        {
          pointer: '/versions',
          rule: 'all',
          message: "versions must be '*' alone, which is all of them, or a list of versions.",
        },
      ]
    : [];

export const handler = endpoint(
  updateVerdict,
  async (call) => {
    const { body, caller, table } = call;
    const target = targetVerdictOf(call);
    const verdict = {
      package: target.name,
      verdict: body.verdict,
      versions: [...new Set(body.versions)],
      reason: body.reason,
      expiresAt: body.expiresAt ? new Date(body.expiresAt).toISOString() : null,
      decidedAt: new Date().toISOString(),
      decidedBy: caller.user.userId,
    };
    await settleVerdict(table, target, () => verdict);
    return verdictRecord(target.ref, verdict);
  },
  { rules: [endRule, versionsRule], alsoRead: targetVerdictKeys },
);
