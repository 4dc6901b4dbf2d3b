import { randomUUID } from 'node:crypto';
import type { PackageType } from '../../package-types.ts';
import type { Table } from '../client.ts';
import type { Remember } from '../creations.ts';
import { heldBy } from '../keys.ts';
import { insertion, type Write } from '../writes.ts';
import { type BroughtUpToDate, endOfWork } from './advisory-feeds.ts';
import { type AdvisoryImport, beginning, type ImportProgress } from './advisory-items.ts';
import { advisoryFeedKey, advisoryImportKey } from './advisory-keys.ts';

export type NewImport = Pick<
  AdvisoryImport,
  'packageType' | 'allowsFewer' | 'objectKey' | 'size' | 'sha256' | 'createdBy'
>;

const leaseMilliseconds = 60_000;

/** Whether a worker is at it, or was asked to be so lately that it may come yet. */
export const isAtWork = ({ runUntil, createdAt }: Pick<AdvisoryImport, 'runUntil' | 'createdAt'>): boolean =>
  (runUntil ?? Date.parse(createdAt) + leaseMilliseconds) > Date.now();

/** Begins an import, in place of one of the same type that is going on. */
export const insertImport = async (
  table: Table,
  fields: NewImport,
  remember: Remember,
): Promise<AdvisoryImport | 'key reused'> => {
  const importId = randomUUID();
  const createdAt = new Date().toISOString();
  const begun: AdvisoryImport = { ...fields, ...beginning, importId, createdAt };
  const { packageType, allowsFewer, size } = fields;
  const refusal = await table.write(
    [
      insertion(advisoryImportKey(importId), begun),
      {
        update: advisoryFeedKey(packageType),
        set: 'SET #packageType = :type, #running = :import',
        values: { ':type': packageType, ':import': importId },
      },
      ...remember(importId),
    ],
    {
      action: 'advisory-import.created',
      workspaceId: '',
      target: { id: importId, name: packageType },
      alsoConcerns: [],
      before: null,
      after: { packageType, allowsFewer, sizeInBytes: size },
    },
  );
  return refusal ? 'key reused' : begun;
};

/** Takes an import over for a run of the worker; undefined if another run is at it, or if it has ended. */
export const takeImport = async (table: Table, importId: string): Promise<AdvisoryImport | undefined> => {
  const key = advisoryImportKey(importId);
  const runId = randomUUID();
  const now = Date.now();
  const answer = await table.update({
    update: key,
    set: 'SET #runId = :runId, #runUntil = :runUntil',
    if: '#state = :running AND (attribute_not_exists(#runUntil) OR #runUntil <= :now)',
    values: { ':runId': runId, ':runUntil': now + leaseMilliseconds, ':now': now, ':running': 'running' },
  });
  const found = heldBy(key, 'before' in answer ? answer.before : answer.refused);
  return found && ('before' in answer || found.runId === runId) ? { ...found, runId } : undefined;
};

/** Extends the lease of a run, or ends it; returns whether the run still holds it. */
export const keepImport = async (
  table: Table,
  { importId, runId }: AdvisoryImport,
  runUntil = Date.now() + leaseMilliseconds,
): Promise<boolean> => {
  const answer = await table.update({
    update: advisoryImportKey(importId),
    set: 'SET #runUntil = :until',
    if: '#runId = :run',
    values: { ':until': runUntil, ':run': runId },
  });
  return 'before' in answer;
};

/** The checks that a run still holds the lease, and that no later import of the type has begun. */
export const ownsImport = ({ importId, packageType, runId }: AdvisoryImport): readonly Write[] => [
  { check: advisoryImportKey(importId), if: '#runId = :run', values: { ':run': runId } },
  isRunning(packageType, importId),
];

/** The check that an import or an update is the one that is going on. */
export const isRunning = (packageType: PackageType, running: string): Write => ({
  check: advisoryFeedKey(packageType),
  if: '#running = :running',
  values: { ':running': running },
});

/** The writes that note how far an import is, with the same checks. */
export const importProgress = (
  { importId, packageType, runId }: AdvisoryImport,
  { phase, position, entries, changed, unchanged, removed, newest }: ImportProgress,
): readonly Write[] => [
  isRunning(packageType, importId),
  {
    update: advisoryImportKey(importId),
    set: 'SET #phase = :phase, #position = :position, #entries = :entries, #changed = :changed, #unchanged = :unchanged, #removed = :removed, #newest = :newest',
    if: '#runId = :run',
    values: {
      ':phase': phase,
      ':position': position,
      ':entries': entries,
      ':changed': changed,
      ':unchanged': unchanged,
      ':removed': removed,
      ':newest': newest,
      ':run': runId,
    },
  },
];

/** The end of an import: all of its archive is in the table, it was refused for a reason, or a later one has begun. */
export type ImportEnd = BroughtUpToDate | { readonly problem: string } | 'replaced';

const stateOf = (end: ImportEnd): AdvisoryImport['state'] => {
  if (end === 'replaced') return end;
  return 'problem' in end ? 'refused' : 'done';
};

/** Says that a later import of the type has begun, or that another run is at this one. */
export class ImportTaken extends Error {
  constructor() {
    super('Another run has this import of advisories.');
  }
}

/** Ends an import. Throws ImportTaken. */
export const endImport = async (table: Table, taken: AdvisoryImport, end: ImportEnd): Promise<void> => {
  const refusal = await table.writeUnrecorded([
    {
      update: advisoryImportKey(taken.importId),
      set: 'SET #state = :state, #problem = :problem, #runUntil = :over',
      if: '#runId = :run',
      values: {
        ':state': stateOf(end),
        ':problem': end !== 'replaced' && 'problem' in end ? end.problem : '',
        ':over': 0,
        ':run': taken.runId,
      },
    },
    ...(end === 'replaced' ? [] : endOfWork(taken.packageType, taken.importId, 'problem' in end ? undefined : end)),
  ]);
  if (refusal) throw new ImportTaken();
};
