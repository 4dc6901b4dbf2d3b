import { buffer } from 'node:stream/consumers';
import type { BytesResult, RedirectResult } from '../../http/payloads.ts';
import { headObject } from '../../store/objects.ts';
import { fileFetchKey, upstreamPauseKey } from '../../table/packages/package-keys.ts';
import type { StagedAnswer } from '../../table/packages/upstream-fetches.ts';
import { contentIdOf, type RemoteRepository } from '../../table/repositories/repositories.ts';
import { inlineBytesMax } from '../blobs/stored-bytes.ts';
import { fileMediaType } from '../changes/publication.ts';
import { bytesInRequest, refuseTooLarge } from '../fetch/file-cache.ts';
import type { LocateFile } from '../fetch/file-flight.ts';
import { askInTime, requireStaged, type StagedFetch, stage, stagedAnswer } from '../fetch/staged-answers.ts';
import type { FileAddress } from '../sources/resolution.ts';
import { mediaTypeOf, receiveFromUpstream, type UpstreamFile, withPromise } from '../upstream/upstream-body.ts';
import { askUpstream, type FetchRequest, forFetching, withReserve } from '../upstream/upstream-request.ts';
import { redirectTo } from './file-answers.ts';

/** A request for a file of a remote repository whose cache is off. */
export interface PassedRequest extends FetchRequest {
  readonly isHead: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

type Passed = BytesResult | RedirectResult | undefined;

/**
 * Serves a file of an upstream without caching it; undefined if the upstream has no such file. A large or slow file goes
 * through an object in the staging area, which the lifecycle of the bucket removes. Throws FILE_PENDING if the fetch takes
 * longer than the request.
 */
export const passFile = async (
  { table: requestTable, deadline, isWaiting, startedAt: seenAt, isHead, headers }: PassedRequest,
  source: RemoteRepository,
  { name, version, file }: FileAddress,
  locateUpstream: LocateFile,
): Promise<Passed> => {
  const table = forFetching(requestTable);
  const leaseKey = fileFetchKey({ contentId: contentIdOf(source), name }, version, file);
  const fetch: StagedFetch = { table, source, leaseKey, copyAt: undefined, seenAt, patience: deadline };
  const redirect = async (staged: StagedAnswer): Promise<Passed> => {
    const { stagingKey, mediaType = fileMediaType } = staged;
    if (stagingKey === undefined) return undefined;
    await requireStaged(fetch, staged, await headObject(stagingKey, table.signal));
    return redirectTo(stagingKey, { file, mediaType, isHead }, headers);
  };
  return withReserve(async () => {
    const staged = await stagedAnswer(fetch, isWaiting);
    if (staged) return redirect(staged);
    const located = await locateUpstream();
    if (!located) return undefined;
    const upstream = await withPromise(located);
    const pass = async (): Promise<Passed> => {
      const received = await receive(fetch, upstream, deadline);
      if (!received) return undefined;
      const { mediaType } = received;
      if (received.size > inlineBytesMax)
        return redirectTo(await stage(received, table.signal), { file, mediaType, isHead }, headers);
      const content = await buffer(await received.stream());
      return { kind: 'bytes', mediaType, headers, content, etag: `"${received.hashes.sha256}"` };
    };
    return askInTime(fetch, { address: { name, version, file }, upstream }, pass, redirect);
  });
};

const receive = async ({ table, source }: StagedFetch, upstream: UpstreamFile, signal: AbortSignal) => {
  const pauseKey = upstreamPauseKey(contentIdOf(source));
  const pause = (await table.read([pauseKey])).find(pauseKey);
  const { url, accept } = upstream;
  const answer = await askUpstream(table, { source, url, accept, content: 'file', pause, signal });
  if (answer.kind !== 'content') return undefined;
  refuseTooLarge(answer.response, bytesInRequest());
  const received = await receiveFromUpstream(answer.response, upstream, table.signal);
  return { ...received, mediaType: mediaTypeOf(upstream, answer.response) };
};
