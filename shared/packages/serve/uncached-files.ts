import type { BytesResult, RedirectResult } from '../../http/payloads.ts';
import { headObject } from '../../store/objects.ts';
import { fileFetchKey, upstreamPauseKey } from '../../table/packages/package-keys.ts';
import { contentIdOf, type RemoteRepository } from '../../table/repositories/repositories.ts';
import { inlineBytesMax } from '../blobs/stored-bytes.ts';
import { fileMediaType } from '../changes/publication.ts';
import { bytesInRequest, refuseTooLarge } from '../fetch/file-cache.ts';
import type { LocateFile } from '../fetch/remote-files.ts';
import { fetchOnce } from '../fetch/single-flight.ts';
import { requireStaged, stage } from '../fetch/staged-answers.ts';
import type { LeasedFetch } from '../fetch/worker-queue.ts';
import type { FileAddress } from '../sources/resolution.ts';
import { mediaTypeOf, receiveFromUpstream, type UpstreamFile, withPromise } from '../upstream/upstream-body.ts';
import { askUpstream, type FetchRequest, forFetching } from '../upstream/upstream-request.ts';
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
  { isHead, headers, ...request }: PassedRequest,
  source: RemoteRepository,
  { name, version, file }: FileAddress,
  locateUpstream: LocateFile,
): Promise<Passed> => {
  const table = forFetching(request.table);
  const leaseKey = fileFetchKey({ contentId: contentIdOf(source), name }, version, file);
  const fetch: LeasedFetch = { table, source, leaseKey };
  const pass = async (upstream: UpstreamFile): Promise<Passed> => {
    const received = await receive(fetch, upstream, request.deadline);
    if (!received) return undefined;
    const { mediaType } = received;
    if (received.size > inlineBytesMax)
      return redirectTo(await stage(received, table.signal), { file, mediaType, isHead }, headers);
    const content = await received.bytes();
    return { kind: 'bytes', mediaType, headers, content, etag: `"${received.hashes.sha256}"` };
  };
  return fetchOnce<Passed>({
    ...fetch,
    request,
    locate: async () => {
      const located = await locateUpstream();
      if (!located) return undefined;
      const upstream = await withPromise(located);
      return {
        ask: async () => ({ answer: await pass(upstream) }),
        left: async () => ({ address: { name, version, file }, upstream }),
      };
    },
    use: async (staged) => {
      const { stagingKey, mediaType = fileMediaType } = staged;
      if (stagingKey === undefined) return undefined;
      await requireStaged(fetch, staged, await headObject(stagingKey, table.signal));
      return redirectTo(stagingKey, { file, mediaType, isHead }, headers);
    },
  });
};

const receive = async ({ table, source }: LeasedFetch, upstream: UpstreamFile, signal: AbortSignal) => {
  const pauseKey = upstreamPauseKey(contentIdOf(source));
  const pause = (await table.read([pauseKey])).find(pauseKey);
  const { url, otherwise, accept } = upstream;
  const answer = await askUpstream(table, { source, url, otherwise, accept, content: 'file', pause, signal });
  if (answer.kind !== 'content') return undefined;
  refuseTooLarge(answer.response, bytesInRequest());
  const received = await receiveFromUpstream(answer.response, upstream, table.signal);
  return { ...received, mediaType: await mediaTypeOf(upstream, answer.response, received) };
};
