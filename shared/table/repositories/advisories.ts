import type { PackageType } from '../../package-types.ts';
import type { ReadingTable } from '../reading-table.ts';

/** The severities of advisories on vulnerabilities, the worst first, in the words of npm and GitHub. */
export const severities = ['critical', 'high', 'moderate', 'low'] as const;
export type Severity = (typeof severities)[number];

/** What an event of a range says of the versions from its version on (ossf.github.io/osv-schema, `affected[].ranges[].events`). */
export const eventKinds = ['introduced', 'fixed', 'last_affected', 'limit'] as const;
export type AdvisoryEvent = readonly [kind: (typeof eventKinds)[number], version: string];

/** What an advisory says about the packages of one name. */
export interface Advisory {
  readonly id: string;
  readonly kind: 'malware' | 'vulnerability';
  /** Null: the advisory says none. */
  readonly severity: Severity | null;
  readonly summary: string;
  /** When it last changed, as its publisher says. */
  readonly modified: string;
  /** The affected versions that it lists. */
  readonly versions: readonly string[];
  /** The ranges of affected versions, each as its events. */
  readonly ranges: readonly (readonly AdvisoryEvent[])[];
}

/** Where an advisory can be read. */
export const urlOfAdvisory = ({ id }: Pick<Advisory, 'id'>): string =>
  `https://osv.dev/vulnerability/${encodeURIComponent(id)}`;

/** How much an advisory matters: malware more than any vulnerability. */
export const levels = ['malware', ...severities, 'unknown'] as const;
export type AdvisoryLevel = (typeof levels)[number];

export const levelOf = ({ kind, severity }: Pick<Advisory, 'kind' | 'severity'>): AdvisoryLevel =>
  kind === 'malware' ? kind : (severity ?? 'unknown');

/** The advisories on one name, or a part of them. What matters most is on the first page. */
export interface AdvisoryPage {
  readonly packageType: PackageType;
  readonly name: string;
  /** The advisories as JSON: most requests need few of them. */
  readonly list: string;
  /** Of each page behind the first one, the level of what matters most on it. Only the first page has them. */
  readonly further: readonly AdvisoryLevel[];
}

/** The order of two versions: negative if the first one is lower; undefined if one of them is no version. */
export type VersionOrder = (one: string, other: string) => number | undefined;

/** The advisories that a request can read of the packages of a type. */
export interface AdvisoryReads {
  readonly order: VersionOrder;
  /** Reads what the gate needs to know of a name, unless the request has. */
  readonly read: (table: ReadingTable, name: string) => Promise<void>;
  /** The pages on a name that were read. */
  readonly find: (name: string) => readonly AdvisoryPage[];
}
