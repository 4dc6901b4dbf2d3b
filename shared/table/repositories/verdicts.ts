import type { PackageType } from '../../package-types.ts';
import { type Change, difference, type Fields } from '../changes.ts';
import type { Table } from '../client.ts';
import { verdictsKey, workspaceKey } from '../keys.ts';
import { insertion, replacement, type Written } from '../writes.ts';
import type { AdvisoryReads } from './advisories.ts';
import type { ReleaseGate } from './release-gate.ts';
import type { RemoteRepository } from './repositories.ts';

/** What the admins of a workspace decided about versions of a package, or of all packages whose names begin alike. */
export interface Verdict {
  /** A name, or the beginning of names and `*`, in the spelling of the package type. */
  readonly package: string;
  readonly verdict: 'block' | 'allow';
  /** As they were sent, in any spelling of the package type; `*` alone: all. */
  readonly versions: readonly string[];
  readonly reason: string;
  /** Null: it has no end. */
  readonly expiresAt: string | null;
  readonly decidedAt: string;
  readonly decidedBy: string;
}

/** The verdicts of a workspace on the packages of a type, by name: one item, because any of them may concern what a request asks for. */
export interface Verdicts {
  readonly workspaceId: string;
  readonly packageType: PackageType;
  readonly verdicts: readonly Verdict[];
}

/** How a package type spells its versions, where rules on versions are compared with them. */
export interface VersionSpelling {
  /** The form in which indexes and addresses have a version; undefined if a text is no version of the type. */
  readonly normalize: (text: string) => string | undefined;
  /** Whether a rule on a version is about another one, too; both are normalised. By default, it never is. */
  readonly covers?: (version: string, other: string) => boolean;
  /** What stands for the version of a file whose name says none, if files of the type can have such names: it may be of any version. */
  readonly unknown?: string;
  /** Whether files can have a version, which is normalised, or only others that it stands for. By default, they can. */
  readonly hasFiles?: (version: string) => boolean;
}

/**
 * A remote repository with the verdicts on packages of its type; they are absent if the request has not read them. With a release gate,
 * it also has the advisories, if there are any for packages of its type.
 */
export interface RemoteSource extends RemoteRepository {
  readonly verdicts?: readonly Verdict[];
  readonly advisories?: AdvisoryReads;
  /** The strictest gate of the repositories that are read together: what its advisories block, no other one of them serves. */
  readonly advisedBy?: ReleaseGate | undefined;
  /** The strictest of those that only observe: what its advisories would block is told of all of them. */
  readonly observedBy?: ReleaseGate | undefined;
  /** Absent if the texts of versions are compared as they are. */
  readonly versionSpelling?: VersionSpelling;
}

/** Verdicts on a type may have so many bytes in all. Each read of a remote repository of the type reads them. */
const verdictsBytesMax = 65_536;

/** The verdicts that have not ended. */
export const standing = ({ verdicts }: Pick<Verdicts, 'verdicts'>, now = Date.now()): readonly Verdict[] =>
  verdicts.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > now);

/** The fields of a verdict that a record has, in this order. */
const fieldsOf = ({ verdict, versions, reason, expiresAt, decidedAt, decidedBy }: Verdict): Fields => ({
  verdict,
  versions,
  reason,
  expiresAt,
  decidedAt,
  decidedBy,
});

const changeOf = (
  { workspaceId, packageType }: VerdictsRef,
  name: string,
  before: Verdict | undefined,
  after: Verdict | undefined,
): Change => ({
  action: before ? (after ? 'verdict.changed' : 'verdict.deleted') : 'verdict.created',
  workspaceId,
  target: { name: `${packageType}/${name}` },
  alsoConcerns: [workspaceId],
  ...(before && after
    ? difference(fieldsOf(before), fieldsOf(after))
    : { before: before ? fieldsOf(before) : null, after: after ? fieldsOf(after) : null }),
});

/** Where the verdicts are, and what was read there. */
export interface VerdictsRef extends Pick<Verdicts, 'workspaceId' | 'packageType'> {
  readonly found: (Verdicts & Written) | undefined;
}

const byName = ({ package: one }: Verdict, { package: other }: Verdict): number => (one < other ? -1 : 1);

/** Replaces or removes the verdict on a name, unless the verdicts changed since they were read. Those that have ended go, too. */
export const changeVerdict = async (
  table: Table,
  ref: VerdictsRef,
  name: string,
  after: Verdict | undefined,
): Promise<'changed' | 'too many' | 'workspace gone' | 'lost the race'> => {
  const { workspaceId, packageType, found } = ref;
  const left = found ? standing(found) : [];
  const before = left.find((each) => each.package === name);
  const others = left.filter((each) => each !== before);
  const verdicts = (after ? [...others, after] : others).toSorted(byName);
  if (after && Buffer.byteLength(JSON.stringify(verdicts)) > verdictsBytesMax) return 'too many';
  const key = verdictsKey(workspaceId, packageType);
  const next = { workspaceId, packageType, verdicts };
  const refusal = await table.write(
    [
      { check: workspaceKey(workspaceId), if: 'attribute_exists(pk)' },
      found ? replacement(key, next, found) : insertion(key, next),
    ],
    changeOf(ref, name, before, after),
  );
  if (!refusal) return 'changed';
  return refusal[0] ? 'workspace gone' : 'lost the race';
};
