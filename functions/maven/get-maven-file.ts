import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { BytesResult, RedirectResult } from '../../shared/http/payloads.ts';
import { answerLargeDocument } from '../../shared/packages/serve/document-answers.ts';
import { type ServeFile, serveBlob } from '../../shared/packages/serve/file-answers.ts';
import type { DownloadOptions } from '../../shared/packages/serve/file-download.ts';
import { fileEndpoint, fileIn } from '../../shared/packages/serve/file-endpoint.ts';
import { orPending } from '../../shared/packages/serve/pending-documents.ts';
import { addressedSources, type IndexAddress } from '../../shared/packages/sources/package-address.ts';
import { type FileAddress, isRemote } from '../../shared/packages/sources/resolution.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import type { PackageFile } from '../../shared/table/packages/packages.ts';
import { checksumAnswer, checksumMediaType, checksumOfBytes } from './checksums.ts';
import { getMavenFile } from './contracts.ts';
import { findMetadata, type MetadataPath } from './found-metadata.ts';
import { releaseOf } from './gate.ts';
import { type Checksum, metadataFile, parsePath } from './paths.ts';
import { isReplaceable } from './snapshot-names.ts';
import { maven } from './type.ts';
import { metadataName, upstreamChecksum, upstreamFile } from './upstream.ts';
import { order } from './versions.ts';

type ReadCall = Call<typeof getMavenFile>;

const metadataAnswer = async (
  call: ReadCall,
  sources: Sources,
  path: MetadataPath,
): Promise<BytesResult | RedirectResult> => {
  const { checksum } = path;
  const found = await findMetadata(call, sources, path);
  const file = { ...found, fileName: metadataFile };
  if (checksum === undefined) return answerLargeDocument(call, { ...file, mediaType: 'application/xml' });
  return answerLargeDocument(call, {
    ...file,
    revision: `${found.revision}/${checksum}`,
    mediaType: checksumMediaType,
    render: async () => Buffer.from(checksumOfBytes(await found.render(), checksum)),
  });
};

/** A file of a SNAPSHOT version that may be replaced is as fresh as metadata. */
const withLifetimes = (sources: Sources, { name, version, file }: FileAddress): Sources => {
  if (!isReplaceable(name, version, file)) return sources;
  const all = sources.all.map((source) =>
    isRemote(source) ? { ...source, fileCacheTimeTillRevalidation: source.metadataCacheTimeTillRevalidation } : source,
  );
  return { ...sources, all };
};

/** How the checksum of a file is answered instead of the file. */
const ofChecksum = (address: FileAddress, checksum: Checksum): DownloadOptions => ({
  serve: async (_request, file, headers = {}) => checksumAnswer(file, checksum, headers),
  passed: { ...address, file: `${address.file}.${checksum}` },
});

/** When a file was published, as its upstream says: Renovate reads it of POMs. An upstream that says nothing is not spoken for. */
const publishedOn = ({ copy, createdAt }: PackageFile): string | undefined =>
  copy ? copy.lastModified : new Date(createdAt).toUTCString();

const serveDated: ServeFile = async (request, file, headers = {}) => {
  const answer = await serveBlob(request, file, headers);
  return answer.kind === 'bytes' ? { ...answer, lastModified: publishedOn(file) } : answer;
};

const addressIn = fileIn(parsePath);

const indexIn = ({ path }: { readonly path: string }): IndexAddress | undefined => {
  const parsed = parsePath(path);
  if (!parsed || parsed.kind === 'file' || parsed.name === undefined) return undefined;
  const { name } = parsed;
  return { name, documents: [metadataName(name, parsed.kind === 'snapshot-metadata' ? parsed.version : undefined)] };
};

const files = fileEndpoint(maven, {
  addressIn,
  indexIn,
  locate: (request, source, { checksum, ...address }) =>
    checksum === undefined || source.isRemoteCacheEnabled
      ? upstreamFile(request, source, address)
      : upstreamChecksum(source, address, checksum),
  releaseOf,
});

export const handler = endpoint(
  getMavenFile,
  async (call) => {
    const sources = addressedSources(call, { ...maven, order });
    const path = parsePath(call.params.path);
    // Clients look in each of their repositories for everything, also for the index files of other servers.
    if (!path) throw new ApiError('FILE_NOT_FOUND');
    if (path.kind === 'file') {
      const options = path.checksum === undefined ? { serve: serveDated } : ofChecksum(path, path.checksum);
      return files.serve(call, withLifetimes(sources, path), path, options);
    }
    try {
      return await orPending(maven, call, async () => metadataAnswer(call, sources, path));
    } catch (error) {
      if (error instanceof ApiError && error.code === 'PACKAGE_NOT_FOUND') throw new ApiError('FILE_NOT_FOUND');
      throw error;
    }
  },
  { alsoRead: files.alsoRead },
);
