import { randomUUID } from 'node:crypto';
import type { PackageType } from '../../package-types.ts';
import type { Table } from '../client.ts';
import { heldBy } from '../keys.ts';
import { advisoryFeedKey } from './advisory-keys.ts';

/** What writes advisories of a type: an update by the schedule, with the latest change that is known, or an import of an archive. */
export type Running =
  | { readonly kind: 'update'; readonly id: string; readonly newest: string | undefined }
  | { readonly kind: 'import'; readonly id: string };

const prefix = 'update#';

/** Begins an update, in place of one that did not end; or returns the import that is going on. */
export const takeFeed = async (table: Table, packageType: PackageType): Promise<Running> => {
  const key = advisoryFeedKey(packageType);
  const id = prefix + randomUUID();
  const answer = await table.update({
    update: key,
    set: 'SET #packageType = :type, #running = :update',
    if: 'attribute_not_exists(#running) OR #running IN (:none, :update) OR begins_with(#running, :prefix)',
    values: { ':type': packageType, ':update': id, ':none': '', ':prefix': prefix },
  });
  const found = heldBy(key, 'before' in answer ? answer.before : answer.refused);
  if ('refused' in answer && found) return { kind: 'import', id: found.running };
  return { kind: 'update', id, newest: found?.newest };
};

/** Notes the end of an update, and the latest change that it saw. Returns whether it was still the one that is going on. */
export const endUpdate = async (
  table: Table,
  packageType: PackageType,
  running: string,
  newest: string,
): Promise<boolean> => {
  const answer = await table.update({
    update: advisoryFeedKey(packageType),
    set: 'SET #running = :none, #importedAt = :now, #newest = :newest',
    if: '#running = :running',
    values: { ':none': '', ':now': new Date().toISOString(), ':newest': newest, ':running': running },
  });
  return 'before' in answer;
};
