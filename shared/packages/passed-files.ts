import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { BytesResult, RedirectResult } from '../http/payloads.ts';
import { stagingObjectKey } from '../store/keys.ts';
import { putObjectOnce } from '../store/objects.ts';
import type { ReceivedFile } from '../store/receiving.ts';
import type { Table } from '../table/client.ts';
import { upstreamPauseKey } from '../table/keys.ts';
import { contentIdOf, type RemoteRepository } from '../table/repositories.ts';
import { askUpstream, forFetching, withReserve } from './asking-upstream.ts';
import { receiveFromUpstream, type UpstreamFile } from './receiving-upstream.ts';
import { inlineBytesMax, redirectTo } from './serving.ts';

/** A request for a file of a remote repository whose cache is off. */
export interface PassedRequest {
  readonly table: Table;
  readonly isHead: boolean;
  /** The name of the file. */
  readonly file: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Serves a file of an upstream without caching it; undefined if the upstream has no such file. A large file goes through an
 * object in the staging area, which the lifecycle of the bucket removes.
 */
export const passFile = async (
  { table: requestTable, ...request }: PassedRequest,
  source: RemoteRepository,
  locateUpstream: () => Promise<UpstreamFile | undefined>,
): Promise<BytesResult | RedirectResult | undefined> => {
  const table = forFetching(requestTable);
  const pauseKey = upstreamPauseKey(contentIdOf(source));
  const pause = (await table.read([pauseKey])).find(pauseKey);
  return withReserve(async () => {
    const upstream = await locateUpstream();
    if (!upstream) return undefined;
    const answer = await askUpstream(table, { source, url: upstream.url, content: 'file', pause });
    if (answer.kind !== 'content') return undefined;
    const { mediaType } = upstream;
    const { file, isHead, headers } = request;
    const received = await receiveFromUpstream(answer.response, upstream, table.signal);
    if (received.size > inlineBytesMax)
      return redirectTo(await stage(received, table.signal), { file, mediaType, isHead }, headers);
    const content = await buffer(await received.stream());
    return { kind: 'bytes', mediaType, headers, content, etag: `"${received.hashes.sha256}"` };
  });
};

/** Writes a file to the staging area, unless it is there already. Returns the key of its object. */
const stage = async (received: ReceivedFile, signal: AbortSignal): Promise<string> => {
  if (received.stagingKey !== undefined) return received.stagingKey;
  const key = stagingObjectKey(randomUUID());
  await putObjectOnce(key, await buffer(await received.stream()), signal);
  return key;
};
