import { randomUUID } from 'node:crypto';
import type { PermissionLevel } from '../../access.ts';
import type { TrustProvider } from '../../trust-providers.ts';
import { type Change, difference, type Fields } from '../changes.ts';
import type { Table } from '../client.ts';
import { type Remember, rememberNothing } from '../creations.ts';
import { trustKey, trustNameKey, trustsList, workspaceKey } from '../keys.ts';
import { listPage, type PageRequest } from '../lists.ts';
import { foundBy, insertion, replacement, type Written } from '../writes.ts';
import type { Used } from './last-use.ts';

/** A condition of a trust on one claim: its exact text, or a glob. */
export type ClaimCondition =
  | { readonly claim: string; readonly equals: string }
  | { readonly claim: string; readonly matches: string };

/** A level that a trust gives on a repository. The name of a repository never changes, so it is stored with the ID. */
export interface TrustedRepository {
  readonly repositoryId: string;
  readonly repositoryName: string;
  readonly level: PermissionLevel;
}

/** What of a trust can change. */
export interface TrustTerms {
  /** The only audience of the tokens that it accepts. */
  readonly audience: string;
  /** All of them must hold. */
  readonly conditions: readonly ClaimCondition[];
  /** Whether the conditions that exclude pull requests are left out. */
  readonly allowsPullRequests: boolean;
  readonly repositories: readonly TrustedRepository[];
  /** How long a token that the trust gives lasts. */
  readonly lifetimeSeconds: number;
}

/** The trust of a workspace in the identity tokens of an issuer, as stored. */
export interface Trust extends TrustTerms, Used {
  readonly trustId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly provider: TrustProvider;
  readonly issuer: string;
  /** Counts the changes of what a token must meet: a token that the trust gave before such a change ends with it. */
  readonly revision: number;
  readonly createdAt: string;
  readonly createdBy: string;
}

type NewTrust = Omit<Trust, 'trustId' | 'revision' | 'createdAt'>;

/** A condition as answers and records have it. The table does not keep the order of fields. */
export const conditionFields = (condition: ClaimCondition) =>
  'equals' in condition
    ? { claim: condition.claim, equals: condition.equals }
    : { claim: condition.claim, matches: condition.matches };

/** A level on a repository as answers and records have it. */
export const repositoryFields = ({ repositoryId, repositoryName, level }: TrustedRepository) => ({
  repositoryId,
  repositoryName,
  repositoryPermissionLevel: level,
});

/** The fields of a trust that a record has. The table does not keep the order of fields, so they are compared in this one. */
const fieldsOf = (trust: Trust): Fields => ({
  name: trust.name,
  provider: trust.provider,
  issuer: trust.issuer,
  audience: trust.audience,
  conditions: trust.conditions.map(conditionFields),
  allowsPullRequests: trust.allowsPullRequests,
  repositories: trust.repositories.map(repositoryFields),
  lifetimeSeconds: trust.lifetimeSeconds,
  createdAt: trust.createdAt,
  createdBy: trust.createdBy,
});

/** What a token must meet: if one of these changes, the tokens that the trust gave before end. */
const requirements: ReadonlySet<string> = new Set(['audience', 'conditions', 'allowsPullRequests', 'lifetimeSeconds']);

const changeOf = (
  action: Change['action'],
  { workspaceId, trustId, name, repositories }: Trust,
  fields: Pick<Change, 'before' | 'after'>,
  before: readonly TrustedRepository[] = [],
): Change => ({
  action,
  workspaceId,
  target: { id: trustId, name },
  alsoConcerns: [...before, ...repositories].map(({ repositoryId }) => repositoryId),
  ...fields,
});

/** Creates a trust, unless its name is taken in the workspace. */
export const insertTrust = async (
  table: Table,
  fields: NewTrust,
  remember: Remember = rememberNothing,
): Promise<Trust | 'name taken' | 'workspace gone'> => {
  const trust: Trust = { ...fields, trustId: randomUUID(), revision: 1, createdAt: new Date().toISOString() };
  const { workspaceId, trustId, name } = trust;
  const refusal = await table.write(
    [
      { check: workspaceKey(workspaceId), if: 'attribute_exists(pk)' },
      insertion(trustKey(trustId), trust),
      insertion(trustNameKey(workspaceId, name), { id: trustId }),
      ...remember(trustId),
    ],
    changeOf('trust.created', trust, { before: null, after: fieldsOf(trust) }),
  );
  if (!refusal) return trust;
  return refusal[0] ? 'workspace gone' : 'name taken';
};

/** Lists the trusts of a workspace by name. */
export const listTrustsOf = <R>(table: Table, workspaceId: string, page: PageRequest, turn: (trust: Trust) => R) =>
  listPage(table, trustsList(workspaceId), page, async (entries) => {
    const keys = entries.map(({ id }) => trustKey(id));
    const found = await table.read(keys);
    return keys.map((key) => {
      const trust = found.find(key);
      return trust && turn(trust);
    });
  });

/** Changes a trust, unless it changed since it was read. */
export const changeTrust = async (
  table: Table,
  trust: Trust & Written,
  changes: Partial<TrustTerms>,
): Promise<Trust | 'lost the race'> => {
  const next = { ...trust, ...changes };
  const change = difference(fieldsOf(trust), fieldsOf(next));
  const changed = Object.keys(change.after);
  if (changed.length === 0) return trust;
  const revision = trust.revision + (changed.some((name) => requirements.has(name)) ? 1 : 0);
  const refusal = await table.write(
    [replacement(trustKey(trust.trustId), { ...next, revision }, trust)],
    changeOf('trust.changed', next, change, trust.repositories),
  );
  return refusal ? 'lost the race' : { ...next, revision };
};

/** Removes a trust, unless it is gone because another request was faster. Its tokens end with it. */
export const removeTrust = async (table: Table, trust: Trust): Promise<void> => {
  const { workspaceId, trustId, name } = trust;
  const key = trustKey(trustId);
  const refusal = await table.write(
    [
      { remove: key, if: 'attribute_exists(pk)' },
      { remove: trustNameKey(workspaceId, name), if: '#id = :trustId', values: { ':trustId': trustId } },
    ],
    changeOf('trust.deleted', trust, { before: fieldsOf(trust), after: null }),
  );
  if (refusal && foundBy(key, refusal)) throw new Error('The name of a trust changed its owner.');
};
