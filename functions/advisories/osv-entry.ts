import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { isObject, type JsonObject } from '../../shared/packages/formats/json-objects.ts';
import type { PackageTypeDefinition } from '../../shared/packages/types/package-type.ts';
import {
  type Advisory,
  type AdvisoryEvent,
  eventKinds,
  type Severity,
} from '../../shared/table/repositories/advisories.ts';
import { baseScore, severityOfScore } from './cvss.ts';

/** A package type with advisories. */
export type AdvisedType = Pick<PackageTypeDefinition, 'name' | 'spelling' | 'listsAdvisories'> & {
  readonly ecosystem: string;
};

/** An entry of osv.dev, as far as it is about packages of one type. */
export interface OsvEntry {
  readonly id: string;
  readonly modified: string;
  /** What it says of each name, in the spelling of the type; nothing once it was withdrawn. */
  readonly byName: ReadonlyMap<string, Advisory>;
}

/** The later one of two times, of which the first may be empty; what is no time is not later. */
export const later = (one: string, other: string): string =>
  Date.parse(other) > Date.parse(one || '1970-01-01') ? other : one;

const summaryLengthMax = 200;
const versionLengthMax = 255;
/** A range with more events is left out. The entries of osv.dev have a handful. */
const eventsMax = 60;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const objectsIn = (value: unknown): readonly JsonObject[] => listOf(value).filter(isObject);
const isText = (value: unknown): value is string => typeof value === 'string';
const isVersionText = (value: unknown): value is string => isText(value) && value.length <= versionLengthMax;

const words: Readonly<Record<string, Severity>> = {
  CRITICAL: 'critical',
  HIGH: 'high',
  MODERATE: 'moderate',
  MEDIUM: 'moderate',
  LOW: 'low',
};

/** The word of the database, or else that of the CVSS 3 vector. */
const severityOf = ({ database_specific: database, severity }: JsonObject): Severity | null => {
  const word = isObject(database) && isText(database.severity) ? words[database.severity.toUpperCase()] : undefined;
  const scores = objectsIn(severity).flatMap(({ score }) => (isText(score) ? (baseScore(score) ?? []) : []));
  return word ?? severityOfScore(Math.max(0, ...scores));
};

/** The limit `*` is none (ossf.github.io/osv-schema, "affected[].ranges[].events"). */
const isEndless = ([kind, version]: AdvisoryEvent): boolean => kind === 'limit' && version === '*';

const eventOf = (event: JsonObject): readonly AdvisoryEvent[] =>
  eventKinds
    .flatMap((kind) => (isVersionText(event[kind]) ? [[kind, event[kind]] as const] : []))
    .filter((each) => !isEndless(each));

/** The ranges of versions. Those of commits say nothing about packages. */
const rangesOf = (affected: JsonObject): readonly (readonly AdvisoryEvent[])[] =>
  objectsIn(affected.ranges)
    .filter(({ type }) => type === 'SEMVER' || type === 'ECOSYSTEM')
    .map(({ events }) => objectsIn(events).flatMap(eventOf))
    .filter((events) => events.length > 0 && events.length <= eventsMax);

const packageOf = ({ package: named }: JsonObject): JsonObject => (isObject(named) ? named : {});

const isOf = (affected: JsonObject, ecosystem: string): boolean => {
  const { ecosystem: found } = packageOf(affected);
  return isText(found) && (found === ecosystem || found.startsWith(`${ecosystem}:`));
};

const nameOf = (affected: JsonObject, { spelling }: AdvisedType): string | undefined => {
  const { name } = packageOf(affected);
  const normal = isText(name) ? spelling.normalize(name) : undefined;
  return normal !== undefined && spelling.isName(normal) ? normal : undefined;
};

/** What several parts of an entry say about one name together; undefined if no version is affected. */
const joined = (common: Omit<Advisory, 'versions' | 'ranges'>, parts: readonly JsonObject[]): Advisory | undefined => {
  const versions = [...new Set(parts.flatMap((part) => listOf(part.versions).filter(isVersionText)))];
  const ranges = parts.flatMap(rangesOf);
  return versions.length + ranges.length > 0 ? { ...common, versions, ranges } : undefined;
};

const parsed = (bytes: Buffer, path: string): JsonObject => {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    if (isObject(value)) return value;
  } catch (cause) {
    throw malformed(`${path} in the archive is no JSON.`, cause);
  }
  throw malformed(`${path} in the archive is no JSON object.`);
};

/**
 * Reads an entry (ossf.github.io/osv-schema) from an archive of the ecosystem of a type. Throws a FormatProblem if it is none, or one of
 * another ecosystem.
 */
export const readEntry = (bytes: Buffer, path: string, type: AdvisedType): OsvEntry => {
  const entry = parsed(bytes, path);
  const { id, modified, withdrawn, summary } = entry;
  if (!isText(id) || `${id}.json` !== path || !isText(modified) || modified === '')
    throw malformed(`${path} in the archive is no entry of osv.dev: it needs its id and modified.`);
  if (isText(withdrawn)) return { id, modified, byName: new Map() };
  const affected = objectsIn(entry.affected).filter((each) => isOf(each, type.ecosystem));
  if (affected.length === 0)
    throw malformed(
      `${path} in the archive is about no package of ${type.ecosystem}: send the all.zip of the folder ${type.ecosystem}.`,
    );
  const common = {
    id,
    kind: id.startsWith('MAL-') ? ('malware' as const) : ('vulnerability' as const),
    severity: severityOf(entry),
    summary: isText(summary) ? summary.slice(0, summaryLengthMax) : '',
    modified,
  };
  const named = Map.groupBy(affected, (each) => nameOf(each, type));
  const advisories = Array.from(named).flatMap(([name, parts]) => {
    const advisory = name === undefined ? undefined : joined(common, parts);
    return name !== undefined && advisory ? [[name, advisory] as const] : [];
  });
  return { id, modified, byName: new Map(advisories) };
};
