import type { Infer } from '../../shared/http/schema.ts';
import { keptRequest } from '../../shared/packages/fetch/kept-documents.ts';
import { decisionOnWithdrawn } from '../../shared/packages/gate/gated-file.ts';
import type { UpstreamReleases } from '../../shared/packages/gate/version-releases.ts';
import { cutoffOf, type Decision, type Release } from '../../shared/packages/releases/gate-of.ts';
import { gateFor, hasRulings, type OpenGate, wholeGateFor } from '../../shared/packages/releases/open-gate.ts';
import { verdictsOn } from '../../shared/packages/releases/rulings.ts';
import { mappedInOrder } from '../../shared/packages/serve/ordered-map.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import { withVersionRules } from '../../shared/packages/sources/package-address.ts';
import { isRemote } from '../../shared/packages/sources/resolution.ts';
import type { Source } from '../../shared/packages/sources/sources.ts';
import { type FetchRequest, ifKept, isUpstreamRefusal } from '../../shared/packages/upstream/upstream-request.ts';
import type { Table } from '../../shared/table/client.ts';
import { IdentityMap } from '../../shared/table/identity-map.ts';
import { type PackageRef, versionsList } from '../../shared/table/packages/package-keys.ts';
import { isLive, type PackageVersion } from '../../shared/table/packages/packages.ts';
import type { RemoteSource, Verdict } from '../../shared/table/repositories/verdicts.ts';
import { findReleases } from '../package-releases.ts';
import { rulingFor, strictest, toldOf } from './decisions.ts';
import type { heldVersions, versionGate } from './gate-schemas.ts';
import type { PackageHolders } from './holders.ts';

/** What is decided about a kept version; null where nothing decides. */
export type VersionGate = Infer<typeof versionGate>;

/** A version that does not pass. */
export type HeldVersion = Infer<typeof heldVersions>[number];

type KeptVersion = Pick<PackageVersion, 'version' | 'createdAt'>;

/** The same, and where it stands among those that are asked about. */
type PlacedVersion = KeptVersion & { readonly position: number };

/** A remote repository with a gate or verdicts for a name, and what of its upstream is asked for. */
interface Asked {
  readonly request: FetchRequest;
  readonly source: RemoteSource;
  readonly name: string;
  /** The verdicts on the package, by any of its names at an upstream. */
  readonly verdicts: readonly Verdict[];
  readonly open: OpenGate;
  readonly upstream: UpstreamReleases;
}

/** Of so many versions, other documents than the index are read for their times. */
const otherTimesMax = 100;

const heldVersionsMax = 100;

/** What kept documents say; undefined if one of them is not kept, or if they do not fit together. */
const ifKnown = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await ifKept(work);
  } catch (error) {
    if (isUpstreamRefusal(error)) return undefined;
    throw error;
  }
};

/** Whether an upstream had published a version before a gate can hold it back: it was kept before that. */
const wasKeptBefore = ({ gate, now }: OpenGate, { createdAt }: KeptVersion): boolean =>
  gate !== undefined && gate.untimed !== 'hold' && Date.parse(createdAt) <= cutoffOf(gate, now);

/** What the upstream says of one version: undefined if that is not kept. */
const releasesOf = async (
  { request, source, name, open, upstream }: Asked,
  kept: PlacedVersion,
  listed: readonly Release[],
): Promise<readonly Release[] | undefined> => {
  if (!upstream.hasOtherTimes || (listed.length > 0 && wasKeptBefore(open, kept))) return listed;
  if (kept.position >= otherTimesMax) return undefined;
  return ifKnown(upstream.versionReleases(request, source, { name, version: kept.version }));
};

/** What is decided about a version, if its time counts; undefined if that is not known. */
const decided = async (
  asked: Asked,
  kept: PlacedVersion,
  listed: readonly Release[],
): Promise<Decision | undefined> => {
  const { open, name } = asked;
  const releases = await releasesOf(asked, kept, listed);
  if (!releases) return undefined;
  const { gate } = open;
  return strictest(open, name, releases) ?? (gate && decisionOnWithdrawn({ ...open, gate }, name, kept));
};

const askedIn = async (table: Table, source: RemoteSource, name: string): Promise<Asked | undefined> => {
  const { releaseGate, advisedBy, observedBy, verdicts = [] } = source;
  const hasRules = releaseGate || advisedBy || observedBy || verdicts.length > 0;
  const type = hasRules && (await findReleases(source.packageType));
  if (!type) return undefined;
  const advised = withVersionRules(source, type.definition, new IdentityMap());
  await advised.advisories?.read(table, name);
  // An exempt name has no gate, and may have advisories. A verdict may be on another name of the package.
  const open = type.rulingOn ? wholeGateFor(advised, name) : gateFor(advised, name);
  if (!open) return undefined;
  const names = [name, ...(type.definition.spelling.aliasesOf?.(name) ?? [])];
  const onPackage = names.flatMap((each) => verdictsOn(verdicts, each, open.now));
  return { request: keptRequest(table), source: advised, name, verdicts: onPackage, open, upstream: type };
};

const byVersion = (releases: readonly Release[]): ReadonlyMap<string, readonly Release[]> =>
  Map.groupBy(releases, ({ version }) => version);

/** What the index of the upstream says of all versions; undefined if it is not kept. */
const listedOf = async ({
  request,
  source,
  name,
  upstream,
}: Asked): Promise<ReturnType<typeof byVersion> | undefined> => {
  const releases = await ifKnown(upstream.packageReleases(request, source, name));
  return releases && byVersion(releases);
};

const gateOf = async (
  asked: Asked,
  kept: PlacedVersion,
  listed: ReturnType<typeof byVersion> | undefined,
): Promise<VersionGate> => {
  const { source, open, name, upstream } = asked;
  const { version } = kept;
  const decision =
    rulingFor(upstream, source, open, { name, version }) ??
    (open.gate && listed && (await decided(asked, kept, listed.get(version) ?? [])));
  const { state, ...told } = toldOf(open, { name, version }, decision);
  if (state) return { state, ...told };
  return open.gate ? { state: 'unknown', ...told } : null;
};

/**
 * What is decided about the versions of a package in a source, in their order. No upstream is asked, and nothing is read where nothing can
 * hold them back.
 */
export const listGates = async (
  table: Table,
  source: Source,
  name: string,
  versions: readonly KeptVersion[],
): Promise<readonly VersionGate[]> => {
  const asked = isRemote(source) && (await askedIn(table, source, name));
  if (!asked) return versions.map(() => null);
  const listed = asked.open.gate && (await listedOf(asked));
  return Promise.all(versions.map(async (each, position) => gateOf(asked, { ...each, position }, listed)));
};

/** The versions that verdicts on a package name, and the first of those that are kept; none where neither verdicts nor advisories decide. */
const ruledVersions = async (
  { request: { table }, source, verdicts, open }: Asked,
  ref: PackageRef,
): Promise<readonly string[]> => {
  if (!hasRulings({ ...open, verdicts })) return [];
  const named = verdicts.flatMap(({ versions }) => versions).filter((text) => text !== '*');
  const { items } = await table.query(versionsList(ref), { limit: heldVersionsMax });
  const kept = items.flatMap(({ item }) => {
    const { version } = item;
    return isLive(item) ? (readable(source, { kind: 'version', name: ref.name, version }, version) ?? []) : [];
  });
  return [...named.map((text) => source.versionSpelling?.normalize(text) ?? text), ...kept];
};

/**
 * The versions that may not pass, with what the index of the upstream says of each. Where no index is kept that lists any, they are those
 * that something decides about, of a package that is kept.
 */
const listedOrRuled = async (asked: Asked, ref: PackageRef | undefined): Promise<ReturnType<typeof byVersion>> => {
  const listed = await listedOf(asked);
  if (listed?.size || !ref) return listed ?? new Map();
  return new Map((await ruledVersions(asked, ref)).map((version) => [version, []]));
};

const heldIn = async (
  table: Table,
  source: RemoteSource,
  name: string,
  ref: PackageRef | undefined,
): Promise<readonly HeldVersion[]> => {
  const asked = await askedIn(table, source, name);
  if (!asked) return [];
  const { open, upstream } = asked;
  const { repositoryId, name: repositoryName } = source;
  return Array.from(await listedOrRuled(asked, ref), ([version, releases]): HeldVersion[] => {
    const decision = rulingFor(upstream, source, open, { name, version }) ?? strictest(open, name, releases);
    const { state, ...told } = toldOf(open, { name, version }, decision);
    return state && state !== 'passes' ? [{ version, repositoryId, repositoryName, state, ...told }] : [];
  }).flat();
};

/** When a version passes, in milliseconds since the epoch. */
const endOf = ({ until }: HeldVersion): number => (until === null ? Number.POSITIVE_INFINITY : Date.parse(until));

/** The versions that do not pass in remote repositories, those that wait longest first. No upstream is asked. */
export const listHeldVersions = async (
  table: Table,
  { name, asked, holders }: PackageHolders,
): Promise<HeldVersion[]> => {
  const held = await mappedInOrder(asked.filter(isRemote), async (source) =>
    heldIn(table, source, name, holders.find((holder) => holder.source === source)?.ref),
  );
  return held
    .flat()
    .toSorted((one, other) => endOf(other) - endOf(one) || 0)
    .slice(0, heldVersionsMax);
};
