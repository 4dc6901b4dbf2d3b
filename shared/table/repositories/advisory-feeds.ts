import { randomUUID } from 'node:crypto';
import type { PackageType } from '../../package-types.ts';
import type { Table } from '../client.ts';
import { equals, setFields } from '../field-writes.ts';
import { heldBy } from '../keys.ts';
import type { Write } from '../writes.ts';
import type { AdvisoryFeed } from './advisory-items.ts';
import { advisoryFeedKey } from './advisory-keys.ts';
import type { NewList } from './advisory-lists.ts';

/**
 * What writes advisories of a type: an update by the schedule, with the feed as it was before, or an import of an archive.
 */
export type Running =
  | { readonly kind: 'update'; readonly id: string; readonly before: AdvisoryFeed | undefined }
  | { readonly kind: 'import'; readonly id: string };

/** What an update or an import leaves in the feed at its end. */
export interface BroughtUpToDate {
  readonly newest: string;
  /** The entries of an archive. */
  readonly entries?: number;
  readonly list: NewList | undefined;
}

/** The writes that end the update or the import that is going on, without which they fail. */
export const endOfWork = (packageType: PackageType, running: string, brought?: BroughtUpToDate): readonly Write[] => {
  const { list, ...fields } = brought ?? {};
  const feed: Partial<AdvisoryFeed> = {
    running: '',
    ...(brought && { ...fields, importedAt: new Date().toISOString() }),
    ...(list && { lists: list.lists }),
  };
  return [setFields(advisoryFeedKey(packageType), { set: feed }, equals('running', running)), ...(list?.writes ?? [])];
};

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
  return { kind: 'update', id, before: found };
};

/** Notes the end of an update, with the latest change that it saw and the list that it made. Returns whether it was still the one that is going on. */
export const endUpdate = async (
  table: Table,
  packageType: PackageType,
  running: string,
  brought: BroughtUpToDate,
): Promise<boolean> => (await table.writeUnrecorded(endOfWork(packageType, running, brought))) === undefined;
