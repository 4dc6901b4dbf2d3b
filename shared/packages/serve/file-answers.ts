import { ApiError } from '../../errors.ts';
import type { BytesResult, RedirectResult } from '../../http/payloads.ts';
import { downloadUrl } from '../../store/downloads.ts';
import { blobObjectKey } from '../../store/keys.ts';
import type { Table } from '../../table/client.ts';
import type { PackageFile } from '../../table/packages/packages.ts';
import { readSmallBlob } from '../blobs/small-blobs.ts';
import { inlineBytesMax, requireBlob } from '../blobs/stored-bytes.ts';

/** What serving a stored file needs to know of it. */
export type ServedFile = Pick<PackageFile, 'file' | 'size' | 'mediaType' | 'blob'>;

const etagOf = ({ blob }: Pick<PackageFile, 'blob'>): string => `"${blob.sha256}"`;

/** The parts of a request that serving a file needs. */
export interface FileRequest {
  readonly isHead: boolean;
  readonly table: Table;
  /** Set if this request itself has stored the file, so that its object need not be looked for. */
  readonly hasStored?: boolean;
}

/**
 * Serves a stored file: a small one inline, a larger one by a redirect to the object store. HEAD of a large file is redirected
 * too, to a URL that is signed for HEAD. API Gateway computes Content-Length from the body of the function's answer, so an
 * answer without the bytes would have the length 0. Throws CONTENT_LOST.
 */
export const serveBlob = async (
  { isHead, table, hasStored = false }: FileRequest,
  file: ServedFile,
  headers: Readonly<Record<string, string>> = {},
): Promise<BytesResult | RedirectResult> => {
  if (file.size <= inlineBytesMax) return serveInline({ table }, file, headers);
  if (!hasStored) await requireBlob(table, file.blob, file.size);
  return { ...(await redirectTo(blobObjectKey(file.blob), { ...file, isHead }, headers)), etag: etagOf(file) };
};

/** How a file of a package is served. */
export type ServeFile = (
  request: FileRequest,
  file: PackageFile,
  headers?: Readonly<Record<string, string>>,
) => ReturnType<typeof serveBlob>;

/** Serves a stored file inline, whatever its size. It must fit into an answer. Throws CONTENT_LOST. */
export const serveInline = async (
  { table }: Pick<FileRequest, 'table'>,
  file: ServedFile,
  headers: Readonly<Record<string, string>> = {},
): Promise<BytesResult> => {
  const content = await readSmallBlob(table, file.blob);
  if (!content) throw new ApiError('CONTENT_LOST');
  return { kind: 'bytes', mediaType: file.mediaType, etag: etagOf(file), headers, content };
};

/** The file behind a redirect. */
interface RedirectedFile extends Pick<PackageFile, 'file' | 'mediaType'> {
  readonly isHead: boolean;
}

/** Redirects a client to the object that contains a file. */
export const redirectTo = async (
  objectKey: string,
  { file, mediaType, isHead }: RedirectedFile,
  headers: Readonly<Record<string, string>>,
): Promise<RedirectResult> => {
  const method = isHead ? 'HEAD' : 'GET';
  const fileName = file.split('/').at(-1) ?? file;
  return { kind: 'redirect', location: await downloadUrl({ method, objectKey, fileName, mediaType }), headers };
};
