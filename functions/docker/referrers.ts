import { loadIndex } from '../../shared/packages/package-index.ts';
import { answeringSources, headKeys, isLocal } from '../../shared/packages/resolution.ts';
import type { Sources } from '../../shared/packages/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import { contentIdOf } from '../../shared/table/repositories.ts';
import { type ImageReferrer, referrersIn } from './index-entries.ts';

/** The manifests about another one, in all repositories that may answer for the image. */
export const findReferrers = async (
  table: Table,
  sources: Sources,
  image: string,
  digest: string,
): Promise<readonly ImageReferrer[]> => {
  const loaded = await table.read(headKeys(sources, image));
  const answering = answeringSources(sources, image, loaded).filter(isLocal);
  const indexes = await Promise.all(
    answering.map((source) => loadIndex(table, { contentId: contentIdOf(source), name: image })),
  );
  const found = indexes.flatMap((index) => (index ? referrersIn(index.entries, digest) : []));
  return [...new Map(found.map((each) => [each.digest, each])).values()];
};
