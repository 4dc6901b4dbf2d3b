import type { Table } from '../../table/client.ts';
import { upstreamPauseKey } from '../../table/packages/package-keys.ts';
import { contentIdOf, type RemoteRepository } from '../../table/repositories/repositories.ts';
import { readMetadata } from '../../upstream/read-metadata.ts';
import { UpstreamError } from '../../upstream/upstream-error.ts';
import type { PostedBody } from '../../upstream/upstream-response.ts';
import { type JsonObject, parseObject } from '../formats/json-objects.ts';
import { askUpstream, forFetching, type Question, type UpstreamAnswer, withReserve } from './upstream-request.ts';

/** Clients wait for the audit at the end of an installation. */
const answerMilliseconds = 5_000;

/** The statuses with which servers without audits refuse POST: no such method here, and no such method at all. */
const refusals: ReadonlySet<number | undefined> = new Set([405, 501]);

/** Asks an upstream; undefined if it refuses the method. */
const answerOf = async (table: Table, question: Question): Promise<UpstreamAnswer | undefined> => {
  try {
    return await askUpstream(table, question);
  } catch (error) {
    if (error instanceof UpstreamError && refusals.has(error.status)) return undefined;
    throw error;
  }
};

/** Asks an upstream at a URL, with a body or without one; undefined if it has nothing there. */
export type AskForObject = (url: string, sent?: PostedBody) => Promise<JsonObject | undefined>;

/** Asks an upstream about advisories, which has five seconds for all answers. Throws UPSTREAM_FAILED, UPSTREAM_TIMEOUT and UPSTREAM_BUSY. */
export const auditUpstream = async <T>(
  requestTable: Table,
  source: RemoteRepository,
  work: (ask: AskForObject) => Promise<T>,
): Promise<T> => {
  const table = forFetching(requestTable);
  const signal = AbortSignal.timeout(answerMilliseconds);
  const pauseKey = upstreamPauseKey(contentIdOf(source));
  const pause = (await table.read([pauseKey])).find(pauseKey);
  const ask: AskForObject = async (url, sent) => {
    const question = { source, url, content: 'metadata', accept: 'application/json', pause, signal } as const;
    const answer = await answerOf(table, { ...question, ...(sent && { sent }) });
    if (answer?.kind !== 'content') return undefined;
    const received = await readMetadata(answer.response);
    try {
      return parseObject(received, 'The answer of the upstream');
    } catch (cause) {
      throw new UpstreamError('protocol', answer.response.context, 'sent something else than a JSON object', cause);
    }
  };
  return withReserve(async () => work(ask));
};
