import { type JoinedAnswers, joinAnswers, refuseUnreachable } from '../../shared/packages/serve/joined-answers.ts';
import { answeringSources, headKeys, isLocal, isRemote } from '../../shared/packages/sources/resolution.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import type { RemoteSource } from '../../shared/table/repositories/verdicts.ts';

/** The repositories that may answer for an image, and the heads of it that were read to know that. */
export const answeringFor = async (table: Table, sources: Sources, image: string) => {
  const loaded = await table.read(headKeys(sources, image));
  const answering = answeringSources(sources, image, loaded);
  return { loaded, locals: answering.filter(isLocal), remotes: answering.filter(isRemote) };
};

/** What upstreams have, and the names of the repositories whose upstreams failed. */
export interface FromUpstreams<T> extends Pick<JoinedAnswers<RemoteSource, T>, 'found'> {
  readonly unreachable: readonly string[];
}

/**
 * Asks several upstreams at once. Those that fail are named; if nothing else answers, which `isAlone` says of the other
 * repositories, the first failure is thrown.
 */
export const fromUpstreams = async <T>(
  sources: readonly RemoteSource[],
  ask: (source: RemoteSource) => Promise<T | undefined>,
  isAlone: boolean,
): Promise<FromUpstreams<T>> => {
  const { found, unreachable } = await joinAnswers(sources, ask);
  if (isAlone && found.length === 0) refuseUnreachable(unreachable);
  return { found, unreachable: unreachable.map(({ source }) => source.name) };
};
