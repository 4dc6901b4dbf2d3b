import { hash } from 'node:crypto';
import { ApiError } from '../../shared/errors.ts';
import type { BytesResult, RedirectResult } from '../../shared/http/payloads.ts';
import { passGate } from '../../shared/packages/gate/gated-file.ts';
import { heldError } from '../../shared/packages/releases/open-gate.ts';
import { answerLargeDocument, type DocumentCall } from '../../shared/packages/serve/document-answers.ts';
import { type DownloadCall, serveAddressedFile } from '../../shared/packages/serve/file-download.ts';
import { originHeaders } from '../../shared/packages/serve/origin-headers.ts';
import { type FoundIndexes, findIndexes } from '../../shared/packages/serve/package-indexes.ts';
import { orPending } from '../../shared/packages/serve/pending-documents.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import {
  type FileAddress,
  type FoundFile,
  findFiles,
  isLocal,
  isRemote,
} from '../../shared/packages/sources/resolution.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { fetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { datedVersion, infoGate, releaseOf } from './gate.ts';
import { mediaTypes } from './media-types.ts';
import { type FileKind, fileName } from './paths.ts';
import { go } from './type.ts';
import { type StoredKind, upstreamFile, upstreamInfo } from './upstream-documents.ts';
import type { VersionInfo } from './version-info.ts';

/** The parts of a request that answering with a document needs. */
export type ModuleCall = DownloadCall & DocumentCall;

/** A file of a version of a module. */
export interface VersionFile {
  readonly name: string;
  readonly version: string;
  readonly fileKind: FileKind;
}

/** The address of a file of a version in the table. */
export const addressOf = ({ name, version, fileKind }: VersionFile): FileAddress => ({
  name,
  version,
  file: fileName(version, fileKind),
});

const missing = ({ name, version }: VersionFile): ApiError =>
  new ApiError('VERSION_NOT_FOUND', `There is no version '${version}' of '${name}' in this repository.`);

/** Serves the `.info`, the `.mod` or the `.zip` of a version from the first source that has it. */
export const serveVersionFile = async (
  call: ModuleCall,
  sources: Sources,
  wanted: VersionFile,
): Promise<BytesResult | RedirectResult> => {
  const { fileKind } = wanted;
  const served =
    fileKind === 'info'
      ? await orPending(go, call, async () => serveInfo(call, sources, wanted))
      : await serveStored(call, sources, { ...wanted, fileKind });
  if (!served) throw missing(wanted);
  return served;
};

const serveStored = async (
  call: ModuleCall,
  sources: Sources,
  wanted: VersionFile & { readonly fileKind: StoredKind },
): Promise<BytesResult | RedirectResult | undefined> =>
  serveAddressedFile(call, sources, addressOf(wanted), async (source) => upstreamFile(source, wanted), {
    releaseOf: async (request, source, address) => releaseOf(request, source, address),
  });

/** Answers with what an upstream says of a version. */
export const infoAnswer = async (
  call: ModuleCall,
  found: FoundIndexes<unknown>,
  { json }: VersionInfo,
  what: string,
): Promise<BytesResult | RedirectResult> =>
  answerLargeDocument(call, {
    ...found,
    fileName: 'version.info',
    revision: `${found.revision}/${what}`,
    mediaType: mediaTypes.info,
    render: async () => json,
  });

/**
 * What an upstream says of a version stays as long as a file, because a version never changes. For a gate, the upstream must still have it.
 */
const withFileLifetime = (source: RemoteRepository): RemoteRepository =>
  source.releaseGate ? source : { ...source, metadataCacheTimeTillRevalidation: source.fileCacheTimeTillRevalidation };

/** What the first source says that has an answer; undefined if none has one. Throws VERSION_HELD if gates hold all of them back. */
export const passingInfo = async (
  found: FoundIndexes<VersionInfo | string | undefined>,
): Promise<VersionInfo | undefined> => {
  const info = (await found.load()).find((each) => typeof each === 'object');
  const [held] = found.held;
  if (!info && held) throw heldError(held);
  return info;
};

/** What the first of these upstreams says of a version that has it. */
const fetchInfo = async (
  call: ModuleCall,
  sources: Sources,
  { name, version }: VersionFile,
): Promise<BytesResult | RedirectResult | undefined> => {
  const all = sources.all.filter(isRemote).map(withFileLifetime);
  if (all.length === 0) return undefined;
  try {
    const found = await findIndexes<VersionInfo | string | undefined>(
      call,
      { ...sources, all },
      {
        name,
        ofLocal: () => undefined,
        ofUpstream: (source) => datedVersion(source, upstreamInfo(source, name, version)),
        gate: infoGate,
      },
    );
    const info = await passingInfo(found);
    return info && (await infoAnswer(call, found, info, `info/${version}`));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'PACKAGE_NOT_FOUND') return undefined;
    throw error;
  }
};

/** Refuses the `.info` of a kept version that no upstream has any longer: go would ask elsewhere if it were not there. */
const refuseWithdrawn = async (call: ModuleCall, address: FileAddress, files: readonly FoundFile[]): Promise<void> => {
  for (const { source, file } of files)
    if (file && isRemote(source)) await passGate(fetchRequest(call), source, { address, file, releaseOf });
};

/**
 * A local repository stores no `.info`, because the time of the publication is in it: the same bytes may be published again after
 * a deletion. It is made of the item of the zip, so the source of the one is the source of the other.
 */
const serveInfo = async (
  call: ModuleCall,
  sources: Sources,
  wanted: VersionFile,
): Promise<BytesResult | RedirectResult | undefined> => {
  const files = await findFiles(call.table, sources, addressOf({ ...wanted, fileKind: 'zip' }), call.loaded);
  const fetched = await fetchInfo(call, { ...sources, all: files.map(({ source }) => source) }, wanted);
  if (fetched) return fetched;
  await refuseWithdrawn(call, addressOf(wanted), files);
  const local = files.find(({ source }) => isLocal(source));
  const held = local && readable(local.source, { kind: 'file', ...addressOf(wanted) }, local);
  if (!held?.file) return undefined;
  const content = JSON.stringify({ Version: wanted.version, Time: held.file.createdAt });
  const etag = `"${hash('sha256', content)}"`;
  const headers = originHeaders({ origins: [held.source.name] });
  return { kind: 'bytes', mediaType: mediaTypes.info, content, etag, headers };
};
