import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { BytesResult, RedirectResult } from '../../shared/http/payloads.ts';
import { publicKeys } from '../../shared/openpgp/signing.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { loadDocument } from '../../shared/packages/fetch/remote-documents.ts';
import { findSetFile, lastSet } from '../../shared/packages/generations/document-sets.ts';
import { answerHashed } from '../../shared/packages/generations/hashed-documents.ts';
import { serveBlob } from '../../shared/packages/serve/file-answers.ts';
import { fileEndpoint } from '../../shared/packages/serve/file-endpoint.ts';
import { originHeaders } from '../../shared/packages/serve/origin-headers.ts';
import { orPending } from '../../shared/packages/serve/pending-documents.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import { addressedSources, type IndexAddress } from '../../shared/packages/sources/package-address.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { fetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { getRpmDocument } from './contracts.ts';
import { type HashedFile, parsePath, type RpmFile } from './paths.ts';
import { documentOf, entryDocuments, findGroup } from './repodata.ts';
import { renderSettings } from './settings.ts';
import { rpm } from './type.ts';
import { locateHashed, locatePackage, repomdName, upstreamCompanion, upstreamRepomd } from './upstream.ts';

type RpmCall = Call<typeof getRpmDocument>;
type Answer = BytesResult | RedirectResult;

const [xml, text] = ['application/xml', 'text/plain; charset=utf-8'];

const missing = (): ApiError => new ApiError('FILE_NOT_FOUND');

/** The documents that name the lists of a group. */
type EntryKind = 'repomd' | 'signature' | 'key';

/** What an upstream has: its repomd.xml, or a companion of that document. */
const answerUpstream = async (
  call: RpmCall,
  source: RemoteRepository,
  kind: EntryKind,
  group: string,
): Promise<Answer> => {
  const request = fetchRequest(call);
  const repomd = await loadDocument(request, source, upstreamRepomd(source, group), call.loaded);
  if (!repomd || !readable(source, { kind: 'index', name: '' }, repomd)) throw missing();
  const headers = originHeaders({ origins: [source.name], caches: [repomd.cache] });
  const fileName = 'repomd.xml';
  if (kind === 'repomd')
    return answerHashed(call, { headers, fileName, mediaType: xml, content: (await repomd.read()).bytes });
  const ending = kind === 'key' ? '.key' : '.asc';
  const wanted = upstreamCompanion(source, { group, ending, revision: repomd.revision });
  const companion = await loadDocument(request, source, wanted);
  if (!companion) throw missing();
  return answerHashed(call, { headers, fileName, mediaType: text, content: await companion.read() });
};

/** The key with which this service signs. */
const answerKey = async (call: RpmCall): Promise<Answer> => {
  const headers = originHeaders({ origins: [call.repository.name] });
  const content = Buffer.from(await publicKeys(call.table.signal));
  return answerHashed(call, { headers, fileName: 'key.asc', mediaType: text, content });
};

/** What this service makes of the packages of a group. */
const answerMade = async (call: RpmCall, sources: Sources, kind: EntryKind, group: string): Promise<Answer> => {
  const found = await findGroup(call, sources, group);
  if (kind === 'key') return answerKey(call);
  // A client asks for the signature of the repomd.xml that it got before: a publication in between changes nothing of it.
  const last = kind === 'signature' ? await lastSet(call, documentOf(group)) : undefined;
  const { repomd = '', signature = '' } = last ?? (await entryDocuments(call, sources, { group, found }));
  const [mediaType, content] = kind === 'repomd' ? [xml, repomd] : [text, signature];
  return answerHashed(call, {
    headers: found.headers,
    fileName: 'repomd.xml',
    mediaType,
    content: Buffer.from(content),
  });
};

const answerSettings = (call: RpmCall, group: string): Answer => {
  const { repository, url, params } = call;
  const base = url.slice(0, url.length - params.path.length - 1);
  const { workspace } = params;
  const content = renderSettings({
    workspace,
    repository: repository.name,
    group,
    url: base,
    isSigned: repository.repositoryType !== 'remote',
  });
  return { kind: 'bytes', mediaType: text, content };
};

const indexIn = ({ path }: { readonly path: string }): IndexAddress | undefined => {
  const parsed = parsePath(path);
  return parsed.kind === 'repomd' || parsed.kind === 'signature'
    ? { documents: [repomdName(parsed.group)] }
    : undefined;
};

const addressIn = ({ path }: { readonly path: string }): RpmFile | HashedFile | undefined => {
  const parsed = parsePath(path);
  return parsed.kind === 'file' || parsed.kind === 'hashed' ? parsed : undefined;
};

const files = fileEndpoint(rpm, {
  indexIn,
  addressIn,
  locate: async (request, source, address) =>
    address.kind === 'file' ? locatePackage(request, source, address) : locateHashed(request, source, address),
});

/** Answers with a list that this service made, or that an upstream has. */
const answerHashedFile = async (call: RpmCall, sources: Sources, address: HashedFile): Promise<Answer> => {
  const { repository } = call;
  const made =
    repository.repositoryType === 'remote'
      ? undefined
      : await findSetFile(call, documentOf(address.group), address.file);
  if (!made) return files.serve(call, sources, address);
  return serveBlob(
    call,
    { file: address.file, mediaType: fileMediaType, ...made },
    originHeaders({ origins: [repository.name] }),
  );
};

export const handler = endpoint(
  getRpmDocument,
  async (call) => {
    const sources = addressedSources(call, rpm);
    const { repository } = call;
    const path = parsePath(call.params.path);
    if (path.kind === 'unknown') throw missing();
    if (path.kind === 'settings') return answerSettings(call, path.group);
    if (path.kind === 'file') return files.serve(call, sources, path);
    if (path.kind === 'hashed') return answerHashedFile(call, sources, path);
    return orPending(rpm, call, async () =>
      repository.repositoryType === 'remote'
        ? answerUpstream(call, repository, path.kind, path.group)
        : answerMade(call, sources, path.kind, path.group),
    );
  },
  { alsoRead: files.alsoRead },
);
