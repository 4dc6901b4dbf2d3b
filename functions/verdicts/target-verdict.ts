import { type ApiError, invalid } from '../../shared/errors.ts';
import type { Infer } from '../../shared/http/schema.ts';
import { canMatch, type NameSpelling, normalEntry } from '../../shared/packages/sources/name-rules.ts';
import { isGated } from '../../shared/packages/sources/type-facts.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { type Key, verdictsKey } from '../../shared/table/keys.ts';
import { standing, type Verdict, type Verdicts, type VerdictsRef } from '../../shared/table/repositories/verdicts.ts';
import type { Written } from '../../shared/table/writes.ts';
import { definitions } from '../package-definitions.ts';
import type { verdictSchema } from './schemas.ts';

interface Params {
  readonly packageType: string;
  readonly package: string;
}

/** The package types whose versions verdicts can block. */
const ruledTypes = definitions.filter(({ name }) => isGated(name));

const typeIn = ({ packageType }: Pick<Params, 'packageType'>) => ruledTypes.find(({ name }) => name === packageType);

/** The key that the first read must bring to find the verdict in the path. */
export const targetVerdictKeys = ({
  params,
  workspaceId,
}: {
  readonly params: Params;
  readonly workspaceId: string;
}): readonly Key[] => {
  const type = typeIn(params);
  return type ? [verdictsKey(workspaceId, type.name)] : [];
};

/** What the path names: the verdicts on its package type, and the name in the spelling of the type. */
export interface TargetVerdict {
  readonly ref: VerdictsRef;
  readonly spelling: NameSpelling;
  readonly name: string;
  readonly verdict: Verdict | undefined;
}

const refused = (pointer: string, rule: string, message: string): ApiError => invalid([{ pointer, rule, message }]);

/** The verdict in the path. Throws REQUEST_INVALID if no verdict can be there. */
export const targetVerdictOf = ({
  params,
  workspace: { workspaceId },
  loaded,
}: {
  readonly params: Params;
  readonly workspace: { readonly workspaceId: string };
  readonly loaded: IdentityMap;
}): TargetVerdict => {
  const type = typeIn(params);
  if (!type)
    throw refused(
      '',
      'packageType',
      `There are no verdicts on packages of the type '${params.packageType}': the path must have one of ${ruledTypes.map(({ name }) => name).join(', ')}.`,
    );
  const name = normalEntry(type.spelling, params.package);
  if (!canMatch(type.spelling, name))
    throw refused(
      '',
      'packageName',
      `No package of the type ${type.name} can have the name '${params.package}': the path must have a name, or the beginning of names and '*'.`,
    );
  const found = loaded.find(verdictsKey(workspaceId, type.name));
  return namedAmong({ workspaceId, packageType: type.name, found }, type.spelling, name);
};

/** The verdict on a name among those that were read. */
const namedAmong = (ref: VerdictsRef, spelling: NameSpelling, name: string): TargetVerdict => ({
  ref,
  spelling,
  name,
  verdict: ref.found && standing(ref.found).find((each) => each.package === name),
});

/** The same, with what another request has written since. */
export const withFound = (
  { ref, spelling, name }: TargetVerdict,
  found: (Verdicts & Written) | undefined,
): TargetVerdict => namedAmong({ ...ref, found }, spelling, name);

/** The wire record of a verdict. */
export const verdictRecord = (
  { workspaceId, packageType }: Pick<Verdicts, 'workspaceId' | 'packageType'>,
  { package: name, verdict, versions, reason, expiresAt, decidedAt, decidedBy }: Verdict,
): Infer<typeof verdictSchema> => ({
  workspaceId,
  packageType,
  package: name,
  verdict,
  versions: [...versions],
  reason,
  expiresAt,
  decidedAt,
  decidedBy,
});
