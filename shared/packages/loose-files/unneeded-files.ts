import { Table } from '../../table/client.ts';
import { repositoryKey } from '../../table/keys.ts';
import { filesList, packageHeadKey } from '../../table/packages/package-keys.ts';
import { isPresent, noVersion, type PackageFile } from '../../table/packages/packages.ts';
import { queryAll } from '../../table/query-pages.ts';
import {
  type DueLooseSweep,
  forgetLooseSweep,
  leaveLooseFiles,
  looseMilliseconds,
} from '../../table/queues/loose-sweeps.ts';
import { contentIdOf } from '../../table/repositories/repositories.ts';
import { loadIndex } from '../index/package-index.ts';
import { looseFileRemoved, neededBy } from './loose-files.ts';

/** The result of one step. */
interface LooseSweepStep {
  readonly removed: number;
  readonly done: boolean;
}

/**
 * Removes the files of a package that belong to no version, that no version needs and that nobody has used for a day, as long as
 * there is time. It reads what the package has once, however many files it removes: who needs one of them later marks it first. A
 * publication marks the files that its version needs before it makes the version, so a file that is old here is needed only by a
 * version that the index has already. It can be interrupted and repeated at any point.
 */
export const sweepLooseFiles = async (
  table: Table,
  due: DueLooseSweep,
  hasTime: () => boolean,
): Promise<LooseSweepStep> => {
  const { ref, workspaceId, repositoryId } = due;
  const key = repositoryKey(workspaceId, repositoryId);
  const repository = (await table.read([key])).find(key);
  // A deleted or emptied repository has lost all of its content.
  if (!repository || contentIdOf(repository) !== ref.contentId) {
    await forgetLooseSweep(table, due);
    return { removed: 0, done: true };
  }
  // What a remote repository has fetched stays, as long as it has a version of the package.
  const head = packageHeadKey(ref);
  const isCache = repository.repositoryType === 'remote';
  if (isCache && isPresent((await table.read([head])).find(head))) {
    await forgetLooseSweep(table, due);
    return { removed: 0, done: true };
  }
  const old = new Date(Date.now() - looseMilliseconds).toISOString();
  const files = await looseFilesOf(table, due);
  const index = await loadIndex(table, ref);
  const needed = new Set(index ? Array.from(index.entries.values()).flatMap(neededBy) : []);
  const unneeded = files.filter(({ file }) => !needed.has(file));
  const removable = unneeded.filter(({ usedAt, createdAt }) => (usedAt ?? createdAt) <= old);
  let removed = 0;
  for (const file of removable) {
    if (!hasTime()) return { removed, done: false };
    // A table is for the time of one request.
    const refusal = await new Table().writeUnrecorded(looseFileRemoved(repository, ref, file));
    removed += refusal ? 0 : 1;
  }
  const last = new Table();
  if (unneeded.length > removed) await last.writeUnrecorded([leaveLooseFiles(repository, ref)]);
  await forgetLooseSweep(last, due);
  return { removed, done: true };
};

const looseFilesOf = async (table: Table, { ref }: DueLooseSweep): Promise<readonly PackageFile[]> =>
  (await queryAll(table, filesList(ref, noVersion))).map(({ item }) => item);
