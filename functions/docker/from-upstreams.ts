import type { ApiError } from '../../shared/errors.ts';
import { mappedInOrder } from '../../shared/packages/serve/ordered-map.ts';
import { answeringSources, headKeys, isLocal, isRemote } from '../../shared/packages/sources/resolution.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { isPending, isUpstreamRefusal } from '../../shared/packages/upstream/upstream-request.ts';
import type { Table } from '../../shared/table/client.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';

/** The repositories that may answer for an image, and the heads of it that were read to know that. */
export const answeringFor = async (table: Table, sources: Sources, image: string) => {
  const loaded = await table.read(headKeys(sources, image));
  const answering = answeringSources(sources, image, loaded);
  return { loaded, locals: answering.filter(isLocal), remotes: answering.filter(isRemote) };
};

/** What upstreams have, and the names of the repositories whose upstreams failed. */
export interface FromUpstreams<T> {
  readonly found: readonly { readonly source: RemoteRepository; readonly value: T }[];
  readonly unreachable: readonly string[];
}

/**
 * Asks several upstreams at once. Those that fail are named; if nothing else answers, which `isAlone` says of the other
 * repositories, the first failure is thrown.
 */
export const fromUpstreams = async <T>(
  sources: readonly RemoteRepository[],
  ask: (source: RemoteRepository) => Promise<T | undefined>,
  isAlone: boolean,
): Promise<FromUpstreams<T>> => {
  const failures: ApiError[] = [];
  const unreachable: string[] = [];
  const answers = await mappedInOrder(sources, async (source) => {
    try {
      const value = await ask(source);
      return value === undefined ? [] : [{ source, value }];
    } catch (error) {
      if (!isUpstreamRefusal(error) && !isPending(error)) throw error;
      failures.push(error);
      unreachable.push(source.name);
      return [];
    }
  });
  const found = answers.flat();
  const [failure] = failures;
  if (failure && isAlone && found.length === 0) throw failure;
  return { found, unreachable };
};
