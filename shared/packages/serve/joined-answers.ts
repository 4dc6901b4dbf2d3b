import type { ApiError } from '../../errors.ts';
import { isPending, isUpstreamRefusal } from '../upstream/upstream-request.ts';
import { mappedInOrder } from './ordered-map.ts';

/** A source that could not be asked: its upstream failed, or takes longer than the request. */
export interface Unreachable<S> {
  readonly source: S;
  readonly refusal: ApiError;
}

/** What several sources answered, in their order, and those that could not be asked. */
export interface JoinedAnswers<S, T> {
  readonly found: readonly { readonly source: S; readonly value: T }[];
  readonly unreachable: readonly Unreachable<S>[];
}

/** Whether an error only says that this source could not be asked. */
export type IsUnreachable = (error: unknown) => error is ApiError;

export const isOfUpstream: IsUnreachable = (error): error is ApiError => isUpstreamRefusal(error) || isPending(error);

/** Asks several sources at once. One that has nothing answers undefined. */
export const joinAnswers = async <S, T>(
  sources: readonly S[],
  ask: (source: S) => Promise<T | undefined>,
): Promise<JoinedAnswers<S, T>> => {
  const answers = await mappedInOrder(sources, async (source) => {
    try {
      const value = await ask(source);
      return value === undefined ? {} : { found: { source, value } };
    } catch (refusal) {
      if (isOfUpstream(refusal)) return { unreachable: { source, refusal } };
      throw refusal;
    }
  });
  return {
    found: answers.flatMap(({ found }) => found ?? []),
    unreachable: answers.flatMap(({ unreachable }) => unreachable ?? []),
  };
};

/** Throws the first failure, where nothing else answers. */
export const refuseUnreachable = ([first]: readonly Unreachable<unknown>[]): void => {
  if (first) throw first.refusal;
};

/**
 * Asks sources one after the other until one answers; undefined if none does. Those before it that could not be asked are given
 * to `ask`. Throws the first failure if no source after it answers.
 */
export const firstAnswer = async <S, T>(
  sources: readonly S[],
  ask: (source: S, unreachable: readonly Unreachable<S>[]) => Promise<T | undefined>,
  isUnreachable: IsUnreachable = isOfUpstream,
): Promise<T | undefined> => {
  const unreachable: Unreachable<S>[] = [];
  for (const source of sources) {
    try {
      const answer = await ask(source, [...unreachable]);
      if (answer !== undefined) return answer;
    } catch (refusal) {
      if (!isUnreachable(refusal)) throw refusal;
      unreachable.push({ source, refusal });
    }
  }
  refuseUnreachable(unreachable);
  return undefined;
};
