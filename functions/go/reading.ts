import { createHash } from 'node:crypto';
import { ApiError } from '../../shared/errors.ts';
import type { BytesResult, RedirectResult } from '../../shared/http/payloads.ts';
import { type DownloadCall, serveAddressedFile } from '../../shared/packages/file-download.ts';
import { originHeaders } from '../../shared/packages/origin-headers.ts';
import { type FileAddress, findPlaces, isLocal, isRemote } from '../../shared/packages/resolution.ts';
import type { Sources } from '../../shared/packages/sources.ts';
import { mediaTypes } from './media-types.ts';
import { type FileKind, fileName } from './paths.ts';
import { upstreamFile } from './upstream-documents.ts';

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
  call: DownloadCall,
  sources: Sources,
  wanted: VersionFile,
): Promise<BytesResult | RedirectResult> => {
  const served =
    wanted.fileKind === 'info'
      ? await serveInfo(call, sources, wanted)
      : await serveAddressedFile(call, sources, addressOf(wanted), async (source) => upstreamFile(source, wanted));
  if (!served) throw missing(wanted);
  return served;
};

/**
 * A local repository stores no `.info`, because the time of the publication is in it: the same bytes may be published again after
 * a deletion. It is made of the item of the zip, so the source of the one is the source of the other.
 */
const serveInfo = async (
  call: DownloadCall,
  sources: Sources,
  wanted: VersionFile,
): Promise<BytesResult | RedirectResult | undefined> => {
  const places = await findPlaces(call.table, sources, addressOf({ ...wanted, fileKind: 'zip' }), call.loaded);
  const remotes = { ...sources, all: places.map(({ source }) => source).filter(isRemote) };
  const fetched =
    remotes.all.length > 0 &&
    (await serveAddressedFile(call, remotes, addressOf(wanted), async (source) => upstreamFile(source, wanted)));
  if (fetched) return fetched;
  const held = places.find(({ source }) => isLocal(source));
  if (!held?.file) return undefined;
  const content = JSON.stringify({ Version: wanted.version, Time: held.file.createdAt });
  const etag = `"${createHash('sha256').update(content).digest('hex')}"`;
  const headers = originHeaders({ origins: [held.source.name] });
  return { kind: 'bytes', mediaType: mediaTypes.info, content, etag, headers };
};
