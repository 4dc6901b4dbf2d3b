import { requireValid, type Violation } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { isFuture } from '../../shared/http/times.ts';
import { noVersion, spelledVersion } from '../../shared/packages/sources/name-rules.ts';
import { settleVerdict } from './change.ts';
import { updateVerdict } from './contracts.ts';
import { allowedEnd } from './schemas.ts';
import { type TargetVerdict, targetVerdictKeys, targetVerdictOf, verdictRecord } from './target-verdict.ts';

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

/** A verdict on what can be no version would block nothing, and say that it does. */
const requireVersions = ({ ref: { packageType }, spelling }: TargetVerdict, versions: readonly string[]): void => {
  const violations = versions.flatMap((text, at) =>
    text === '*' || spelledVersion(spelling, text) !== undefined
      ? []
      : [noVersion(packageType, { pointer: `/versions/${at}`, field: `versions[${at}]`, text })],
  );
  requireValid(violations);
};

export const handler = endpoint(
  updateVerdict,
  async (call) => {
    const { body, caller, table } = call;
    const target = targetVerdictOf(call);
    requireVersions(target, body.versions);
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
