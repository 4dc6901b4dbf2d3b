import { hash } from 'node:crypto';
import { BoundedCache } from '../../shared/bounded-cache.ts';
import { ApiError } from '../../shared/errors.ts';
import { storedFile } from '../../shared/packages/blobs/stored-bytes.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { FormatProblem } from '../../shared/packages/formats/format-problem.ts';
import type { ZippedFile } from '../../shared/packages/formats/zip-archive.ts';
import { type ServeFile, serveBlob } from '../../shared/packages/serve/file-answers.ts';
import { blobObjectKey } from '../../shared/store/keys.ts';
import type { Table } from '../../shared/table/client.ts';
import type { PackageFile } from '../../shared/table/packages/packages.ts';
import { readZipEntry } from './zip-entry.ts';

/** Reads METADATA of a wheel: the directory at the end of the archive, and the file. */
export const readWheelMetadata = async (wheel: ZippedFile): Promise<Uint8Array> =>
  readZipEntry(wheel, {
    path: /^[^/]+\.dist-info\/METADATA$/,
    what: 'METADATA in a folder *.dist-info',
    word: 'wheel',
  });

/** METADATA of wheels that this process has read, by the keys of the objects of the wheels. An object never changes. */
const keptBytesMax = 8_000_000;
const kept = new BoundedCache<Uint8Array>(keptBytesMax);

const metadataOf = async (table: Table, wheel: PackageFile): Promise<Uint8Array> => {
  const objectKey = blobObjectKey(wheel.blob);
  const known = kept.get(objectKey);
  if (known) return known;
  const content = await readWheelMetadata(storedFile(wheel, table));
  kept.set(objectKey, content, objectKey.length + content.length);
  return content;
};

/** Serves METADATA of a stored wheel instead of the wheel, or METADATA that is stored without it. */
export const serveWheelMetadata: ServeFile = async (request, file, headers) => {
  if (!file.file.endsWith('.whl')) return serveBlob(request, file, headers);
  try {
    const content = await metadataOf(request.table, file);
    const etag = `"${hash('sha256', content)}"`;
    return { kind: 'bytes', mediaType: fileMediaType, etag, headers, content };
  } catch (error) {
    if (!(error instanceof FormatProblem)) throw error;
    throw new ApiError('UPSTREAM_FAILED', `The upstream has a wheel that is none: ${error.message}`, [], {
      cause: error,
    });
  }
};
