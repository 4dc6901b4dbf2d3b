import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { fileEndpoint } from '../../shared/packages/serve/file-endpoint.ts';
import { orPending } from '../../shared/packages/serve/pending-documents.ts';
import { addressedSources, type IndexAddress } from '../../shared/packages/sources/package-address.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { fetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { type Answer, answerKey, answerUpstreamEntry, answerUpstreamKey } from './answers.ts';
import { getDebianDocument } from './contracts.ts';
import { answerMade, answerMadeDocument, answerMadeHash } from './made-answers.ts';
import { type DebianFile, type DebianPath, type DocumentByHash, hashedDocument, parsePath } from './paths.ts';
import { debian } from './type.ts';
import { below, locateFile, locateHashed, namedHash, releaseName } from './upstream.ts';

type DebianCall = Call<typeof getDebianDocument>;

const missing = (): ApiError => new ApiError('FILE_NOT_FOUND');

const indexIn = ({ path }: { readonly path: string }): IndexAddress | undefined => {
  const parsed = parsePath(path);
  return parsed.kind === 'entry' ? { documents: [releaseName(parsed.directory, 'InRelease')] } : undefined;
};

const addressIn = ({ path }: { readonly path: string }): DebianFile | DocumentByHash | undefined => {
  const parsed = parsePath(path);
  return parsed.kind === 'file' || parsed.kind === 'hashed' ? parsed : undefined;
};

const files = fileEndpoint(debian, {
  indexIn,
  addressIn,
  locate: async (request, source, address) =>
    address.kind === 'file' ? locateFile(source, address) : locateHashed(request, source, address),
});

/** A document by its plain name is the one whose hash the Release of the upstream has. */
const answerUpstreamDocument = async (
  call: DebianCall,
  sources: Sources,
  source: RemoteRepository,
  { directory, file }: Extract<DebianPath, { readonly kind: 'document' }>,
): Promise<Answer> => {
  const hash = await namedHash(fetchRequest(call), source, below(directory, file));
  if (hash === undefined) throw missing();
  return files.serve(call, sources, hashedDocument(directory, hash));
};

/** What a remote repository has, and no other. */
const answerUpstream = async (
  call: DebianCall,
  sources: Sources,
  source: RemoteRepository,
  path: DebianPath,
): Promise<Answer> => {
  if (path.kind === 'key') return answerUpstreamKey(call, source);
  if (path.kind === 'entry') return answerUpstreamEntry(call, source, path);
  if (path.kind === 'document') return answerUpstreamDocument(call, sources, source, path);
  throw missing();
};

/** What this service makes of packages. */
const answerOwn = async (call: DebianCall, sources: Sources, path: DebianPath): Promise<Answer> => {
  if (path.kind === 'key') return answerKey(call);
  if (path.kind === 'entry') return answerMade(call, sources, path);
  if (path.kind === 'document') return answerMadeDocument(call, sources, path);
  throw missing();
};

export const handler = endpoint(
  getDebianDocument,
  async (call) => {
    const sources = addressedSources(call, debian);
    const { repository } = call;
    const path = parsePath(call.params.path);
    if (path.kind === 'unknown') throw missing();
    if (path.kind === 'file') return files.serve(call, sources, path);
    const isRemote = repository.repositoryType === 'remote';
    if (path.kind === 'hashed') return isRemote ? files.serve(call, sources, path) : answerMadeHash(call, path);
    return orPending(debian, call, async () =>
      repository.repositoryType === 'remote'
        ? answerUpstream(call, sources, repository, path)
        : answerOwn(call, sources, path),
    );
  },
  { alsoRead: files.alsoRead },
);
