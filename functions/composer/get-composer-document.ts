import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { dateOfTag } from '../../shared/http/tag-dates.ts';
import { answerLargeDocument, type DocumentCall } from '../../shared/packages/serve/document-answers.ts';
import { fileEndpoint, fileIn } from '../../shared/packages/serve/file-endpoint.ts';
import { findIndexes, type IndexCall } from '../../shared/packages/serve/package-indexes.ts';
import { addressedSources, type IndexAddress } from '../../shared/packages/sources/package-address.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { repositoryUrl } from './addresses.ts';
import { getComposerDocument } from './contracts.ts';
import { versionsGate } from './gate.ts';
import { localVersions } from './index-entries.ts';
import { parsePath } from './paths.ts';
import { mergedVersions, renderVersions, type WantedVersions } from './rendering.ts';
import { answerRoot } from './root.ts';
import { composer } from './type.ts';
import { fileLocationKeys, locateFile, releaseOf, upstreamVersions, versionsName } from './upstream-documents.ts';
import { order } from './versions.ts';

/** Answers with the versions of a package. Another stability is another document of the same indexes. */
const answerVersions = async (call: DocumentCall & IndexCall, sources: Sources, wanted: WantedVersions) => {
  const { name, isDevelopment } = wanted;
  const found = await findIndexes({ table: call.table, loaded: call.loaded }, sources, {
    name,
    ofLocal: localVersions,
    ofUpstream: (source) => upstreamVersions(source, wanted),
    gate: versionsGate,
  });
  return answerLargeDocument(call, {
    ...found,
    sourceBytes: found.bytes,
    revision: isDevelopment ? `${found.revision}/dev` : found.revision,
    fileName: `${name.slice(name.indexOf('/') + 1)}.json`,
    mediaType: 'application/json',
    dateOf: dateOfTag,
    render: async () => {
      const versions = mergedVersions(await found.load());
      const hidesSources = sources.upstreamNames.block.length > 0;
      return renderVersions({ ...wanted, url: repositoryUrl(call), hidesSources }, versions);
    },
  });
};

const indexIn = ({ path }: { readonly path: string }): IndexAddress | undefined => {
  const parsed = parsePath(path);
  return parsed.kind === 'versions' ? { name: parsed.name, documents: [versionsName(parsed)] } : undefined;
};

const files = fileEndpoint(composer, {
  indexIn,
  addressIn: fileIn(parsePath),
  locate: locateFile,
  locationKeys: fileLocationKeys,
  releaseOf,
});

export const handler = endpoint(
  getComposerDocument,
  async (call) => {
    const sources = addressedSources(call, { ...composer, order });
    const path = parsePath(call.params.path);
    if (path.kind === 'root') return answerRoot(call, sources);
    if (path.kind === 'versions') return answerVersions(call, sources, path);
    if (path.kind === 'file') return files.serve({ ...call, query: {} }, sources, path);
    throw new ApiError('FILE_NOT_FOUND');
  },
  { alsoRead: files.alsoRead },
);
