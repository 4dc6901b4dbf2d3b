import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { BytesResult, RedirectResult } from '../../shared/http/payloads.ts';
import { publicKeys } from '../../shared/openpgp/signing.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { loadDocument } from '../../shared/packages/fetch/remote-documents.ts';
import {
  type EntryDocuments,
  findSetFile,
  findSnapshot,
  lastSet,
  snapshotOf,
} from '../../shared/packages/generations/document-sets.ts';
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
import { type EntryKind, type EntryPath, type HashedFile, parsePath, type RpmFile, snapshotPath } from './paths.ts';
import { documentOf, entryDocuments, findGroup } from './repodata.ts';
import { renderSettings } from './settings.ts';
import { removedSnapshot, snapshotIn, storedSnapshot } from './snapshot-cookie.ts';
import { rpm } from './type.ts';
import { locateHashed, locatePackage, repomdName, upstreamCompanion, upstreamRepomd } from './upstream.ts';

type RpmCall = Call<typeof getRpmDocument>;
type Answer = BytesResult | RedirectResult;

const [xml, text] = ['application/xml', 'text/plain; charset=utf-8'];

const missing = (): ApiError => new ApiError('FILE_NOT_FOUND');

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

const answerEntry = async (
  call: RpmCall,
  kind: EntryKind,
  { repomd = '', signature = '' }: EntryDocuments,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> => {
  const [mediaType, content] = kind === 'repomd' ? [xml, repomd] : [text, signature];
  return answerHashed(call, { headers, fileName: 'repomd.xml', mediaType, content: Buffer.from(content) });
};

/** The key with which this service signs. */
const answerKey = async (call: RpmCall): Promise<Answer> => {
  const headers = originHeaders({ origins: [call.repository.name] });
  const content = Buffer.from(await publicKeys(call.table.signal));
  return answerHashed(call, { headers, fileName: 'key.asc', mediaType: text, content });
};

/** The documents of the set to which a client is bound: by the path, or by the cookie that it got with the signature. */
const boundEntry = async (
  call: RpmCall,
  { kind, group, snapshot }: EntryPath,
): Promise<{ readonly entry: EntryDocuments; readonly isByCookie: boolean } | undefined> => {
  const ofCookie = kind === 'repomd' && !call.isHead ? snapshotIn(call.header('cookie')) : undefined;
  const wanted = snapshot ?? ofCookie;
  const entry = wanted && (await findSnapshot(call, documentOf(group), wanted));
  return entry ? { entry, isByCookie: snapshot === undefined } : undefined;
};

/** What this service makes of the packages of a group. */
const answerMade = async (call: RpmCall, sources: Sources, path: EntryPath): Promise<Answer> => {
  const { kind, group } = path;
  const bound = await boundEntry(call, path);
  if (bound) {
    const headers = originHeaders({ origins: [call.repository.name] });
    const removed = bound.isByCookie && { 'Set-Cookie': removedSnapshot(call.url) };
    return answerEntry(call, kind, bound.entry, { ...headers, ...removed });
  }
  const found = await findGroup(call, sources, group);
  if (kind === 'key') return answerKey(call);
  // A client asks for the signature of the repomd.xml that it got before: a publication in between changes nothing of it.
  const last = kind === 'signature' ? await lastSet(call, documentOf(group)) : undefined;
  const entry = last ?? (await entryDocuments(call, sources, { group, found }));
  const stored = kind === 'signature' && { 'Set-Cookie': storedSnapshot(call.url, snapshotOf(entry)) };
  return answerEntry(call, kind, entry, { ...found.headers, ...stored });
};

/** The list of mirrors that dnf takes: the address at which the current set stays the same. */
const answerMirrors = async (call: RpmCall, sources: Sources, group: string): Promise<Answer> => {
  if (call.repository.repositoryType === 'remote') throw missing();
  const found = await findGroup(call, sources, group);
  const snapshot = snapshotOf(await entryDocuments(call, sources, { group, found }));
  const content = Buffer.from(`${baseOf(call)}/${snapshotPath(group, snapshot)}\n`);
  return answerHashed(call, { headers: found.headers, fileName: 'mirrorlist', mediaType: text, content });
};

/** The address of the repository, without a slash at its end. */
const baseOf = ({ url, params }: RpmCall): string => url.slice(0, url.length - params.path.length - 1);

const answerSettings = (call: RpmCall, group: string): Answer => {
  const { repository, params } = call;
  const { workspace } = params;
  const content = renderSettings({
    workspace,
    repository: repository.name,
    group,
    url: baseOf(call),
    isSigned: repository.repositoryType !== 'remote',
  });
  return { kind: 'bytes', mediaType: text, content };
};

const indexIn = ({ path }: { readonly path: string }): IndexAddress | undefined => {
  const parsed = parsePath(path);
  return parsed.kind === 'repomd' || parsed.kind === 'signature' || parsed.kind === 'mirrors'
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
    if (path.kind === 'mirrors') return orPending(rpm, call, async () => answerMirrors(call, sources, path.group));
    return orPending(rpm, call, async () =>
      repository.repositoryType === 'remote'
        ? answerUpstream(call, repository, path.kind, path.group)
        : answerMade(call, sources, path),
    );
  },
  { alsoRead: files.alsoRead },
);
