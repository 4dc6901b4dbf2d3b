import { ApiError } from '../errors.ts';
import type { BytesResult, RedirectResult } from '../http/payloads.ts';
import { downloadUrl } from '../store/downloads.ts';
import { blobObjectKey } from '../store/keys.ts';
import { readObject } from '../store/objects.ts';
import type { PackageFile } from '../table/packages.ts';

/** Files up to this size come inline: a redirect costs the client a round trip, and curl without -L gets nothing. */
export const inlineBytesMax = 256 * 1024;

/** What is needed of a request to serve a file. */
export interface FileRequest {
  readonly isHead: boolean;
  readonly table: { readonly signal: AbortSignal };
}

/**
 * Serves a stored file: small ones inline, others by a redirect to the object store. HEAD is redirected like GET, by a URL that
 * is signed for it: API Gateway lets no function say a length, so an inline answer would announce an empty file.
 */
export const serveFile = async (
  { isHead, table }: FileRequest,
  file: PackageFile,
  headers: Readonly<Record<string, string>> = {},
): Promise<BytesResult | RedirectResult> => {
  const objectKey = blobObjectKey(file.blob);
  const etag = `"${file.blob.sha256}"`;
  const inline = { kind: 'bytes', mediaType: file.mediaType, etag, headers } as const;
  if (file.size > inlineBytesMax) return redirectTo(objectKey, { ...file, isHead }, headers);
  const content = await readObject(objectKey, table.signal);
  if (!content) throw new ApiError('SERVICE_UNAVAILABLE');
  return { ...inline, content };
};

/** A file to send a client to, under its name in a path. */
interface RedirectedFile extends Pick<PackageFile, 'file' | 'mediaType'> {
  readonly isHead: boolean;
}

/** Sends a client to the object that holds a file. */
export const redirectTo = async (
  objectKey: string,
  { file, mediaType, isHead }: RedirectedFile,
  headers: Readonly<Record<string, string>>,
): Promise<RedirectResult> => {
  const method = isHead ? 'HEAD' : 'GET';
  const fileName = file.split('/').at(-1) ?? file;
  return { kind: 'redirect', location: await downloadUrl({ method, objectKey, fileName, mediaType }), headers };
};
