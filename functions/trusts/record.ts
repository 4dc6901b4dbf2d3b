import type { Infer } from '../../shared/http/schema.ts';
import { conditionFields, repositoryFields, type Trust } from '../../shared/table/identity/trusts.ts';
import type { ExclusionCondition } from './conditions.ts';
import { readyMadeConditions } from './providers.ts';
import type { trustSchema } from './schemas.ts';

/** A condition of a provider on the wire. */
export const exclusionRecord = ({ claim, excludes }: ExclusionCondition) => ({ claim, excludes: [...excludes] });

/** The wire record of a trust. */
export const trustRecord = (trust: Trust): Infer<typeof trustSchema> => ({
  id: trust.trustId,
  workspaceId: trust.workspaceId,
  name: trust.name,
  provider: trust.provider,
  issuer: trust.issuer,
  audience: trust.audience,
  conditions: trust.conditions.map(conditionFields),
  readyMadeConditions: readyMadeConditions(trust).map(exclusionRecord),
  allowsPullRequests: trust.allowsPullRequests,
  repositories: trust.repositories.map(repositoryFields),
  lifetimeSeconds: trust.lifetimeSeconds,
  createdAt: trust.createdAt,
  createdBy: trust.createdBy,
  lastUsedAt: trust.lastUsedAt ?? null,
});
