import type { Violation } from '../../shared/errors.ts';
import type { Infer } from '../../shared/http/schema.ts';
import { isTime } from '../../shared/http/times.ts';
import type { PackageType } from '../../shared/package-types.ts';
import {
  canMatch,
  type NameSpelling,
  normalEntry,
  noVersion,
  spelledVersion,
} from '../../shared/packages/sources/name-rules.ts';
import type { ReleaseGate } from '../../shared/table/repositories/release-gate.ts';
import { definitionOf } from '../package-definitions.ts';
import type { newGateSettings } from './gate-settings.ts';

/** What a creation or an update says; only a creation has null for what the stored gate must have. */
type SentGate = Infer<typeof newGateSettings.releaseGate> | undefined;

/** What a request says of a gate, and the package type of its repository. */
export interface GateRequest {
  readonly packageType?: PackageType | undefined;
  readonly releaseGate?: SentGate;
}

const defaults: ReleaseGate = {
  mode: 'enforce',
  minimumAgeHours: 72,
  frozenAt: null,
  untimed: 'firstSeen',
  exempt: [],
  blockSeverity: null,
  withdrawnUpstream: 'hold',
};

/** The name in an entry of `exempt`, and what follows it: a scope begins with `@`, and a version comes after another one. */
const partsOf = (entry: string): readonly [name: string, version: string] => {
  const at = entry.indexOf('@', 1);
  return at > 0 && !entry.endsWith('*') ? [entry.slice(0, at), entry.slice(at)] : [entry, ''];
};

const normalExemption = (spelling: NameSpelling, entry: string): string => {
  const [name, version] = partsOf(entry);
  return normalEntry(spelling, name) + version;
};

const exemptionViolation = (
  packageType: PackageType,
  spelling: NameSpelling,
  entry: string,
  at: number,
): Violation[] => {
  const [name, version] = partsOf(entry);
  if (canMatch(spelling, normalEntry(spelling, name)) && version !== '@')
    return version === '' || spelledVersion(spelling, version.slice(1)) !== undefined
      ? []
      : [
          noVersion(packageType, {
            pointer: `/releaseGate/exempt/${at}`,
            field: `releaseGate.exempt[${at}]`,
            text: entry,
          }),
        ];
  const message = `releaseGate.exempt[${at}] is '${entry}', and no package of the type ${packageType} can have such a name: write a name, the beginning of names and '*', or name@version.`;
  return [{ pointer: `/releaseGate/exempt/${at}`, rule: 'packageName', message }];
};

const timeViolation: Violation = {
  pointer: '/releaseGate/frozenAt',
  rule: 'date-time',
  message: 'releaseGate.frozenAt must be a time (RFC 3339), such as 2026-01-31T09:30:00.000Z, or null.',
};

const typeViolation = (packageType: PackageType, why: string | undefined): Violation => {
  const because = why ? `, because ${why}` : '';
  const message = `releaseGate is not available for repositories of the type ${packageType}${because}: leave it out.`;
  return { pointer: '/releaseGate', rule: 'packageType', message };
};

/** The rules of a gate that a schema cannot say. */
export const gateRule = ({ packageType, releaseGate }: GateRequest): readonly Violation[] => {
  if (!releaseGate || !packageType) return [];
  const definition = definitionOf(packageType);
  if (!definition.hasGate) return [typeViolation(packageType, definition.withoutGate)];
  const { spelling } = definition;
  const { exempt, frozenAt = null } = releaseGate;
  return [
    ...(frozenAt !== null && !isTime(frozenAt) ? [timeViolation] : []),
    ...(exempt ?? []).flatMap((entry, at) => exemptionViolation(packageType, spelling, entry, at)),
  ];
};

/** The gate after a request; undefined if it says nothing about it, null if it turns it off. */
export const patchedGate = (
  before: ReleaseGate | null | undefined,
  { packageType, releaseGate: sent }: GateRequest,
): ReleaseGate | null | undefined => {
  if (!sent) return sent;
  // Where there was no gate, what null would clear has its default.
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null || before));
  const gate: ReleaseGate = { ...defaults, ...before, ...given };
  const spelling = packageType && definitionOf(packageType).spelling;
  const exempt = spelling ? gate.exempt.map((entry) => normalExemption(spelling, entry)) : gate.exempt;
  const frozenAt = gate.frozenAt && new Date(gate.frozenAt).toISOString();
  return { ...gate, frozenAt, exempt: [...new Set(exempt)] };
};
