import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import type { BytesResult, RedirectResult } from '../../shared/http/payloads.ts';
import { publicKeys } from '../../shared/openpgp/signing.ts';
import { loadDocument } from '../../shared/packages/fetch/remote-documents.ts';
import { answerHashed } from '../../shared/packages/generations/hashed-documents.ts';
import { originHeaders } from '../../shared/packages/serve/origin-headers.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import { fetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import type { getDebianDocument } from './contracts.ts';
import type { EntryName } from './paths.ts';
import { below, upstreamArmored, upstreamRelease } from './upstream.ts';

type DebianCall = Call<typeof getDebianDocument>;
export type Answer = BytesResult | RedirectResult;

/** The media type of all that people can read. */
export const textType = 'text/plain; charset=utf-8';

/** The key with which this service signs. */
export const answerKey = async (call: DebianCall): Promise<Answer> => {
  const headers = originHeaders({ origins: [call.repository.name] });
  const content = Buffer.from(await publicKeys(call.table.signal));
  return answerHashed(call, { headers, fileName: 'key.asc', mediaType: textType, content });
};

/** The key of an upstream, where it has one at the same address as this service. */
export const answerUpstreamKey = async (call: DebianCall, source: RemoteRepository): Promise<Answer> => {
  const key = await loadDocument(fetchRequest(call), source, upstreamArmored(source, 'key.asc', ''));
  if (!key)
    throw new ApiError(
      'FILE_NOT_FOUND',
      'The lists of a remote repository have the signature of its upstream: use the key that the upstream tells people.',
    );
  const headers = originHeaders({ origins: [source.name], caches: [key.cache] });
  return answerHashed(call, { headers, fileName: 'key.asc', mediaType: textType, content: await key.read() });
};

/** What an upstream has: its Release, or the signature of that document. */
export const answerUpstreamEntry = async (
  call: DebianCall,
  source: RemoteRepository,
  { directory, entry }: { readonly directory: string; readonly entry: EntryName },
): Promise<Answer> => {
  const request = fetchRequest(call);
  const document = entry === 'InRelease' ? 'InRelease' : 'Release';
  const release = await loadDocument(request, source, upstreamRelease(source, directory, document), call.loaded);
  if (!release || !readable(source, { kind: 'index', name: '' }, release)) throw new ApiError('FILE_NOT_FOUND');
  const headers = originHeaders({ origins: [source.name], caches: [release.cache] });
  const answered = { headers, fileName: entry, mediaType: textType };
  if (entry !== 'Release.gpg') return answerHashed(call, { ...answered, content: (await release.read()).bytes });
  const wanted = upstreamArmored(source, below(directory, entry), release.revision);
  const signature = await loadDocument(request, source, wanted);
  if (!signature) throw new ApiError('FILE_NOT_FOUND');
  return answerHashed(call, { ...answered, content: await signature.read() });
};
