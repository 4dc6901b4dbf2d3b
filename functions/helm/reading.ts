import { ApiError } from '../../shared/errors.ts';
import type { BytesResult, RedirectResult } from '../../shared/http/payloads.ts';
import { answerLargeDocument, type DocumentCall } from '../../shared/packages/serve/document-answers.ts';
import type { IndexCall } from '../../shared/packages/serve/package-indexes.ts';
import { orPending } from '../../shared/packages/serve/pending-documents.ts';
import { findRepositoryIndex, versionGate } from '../../shared/packages/serve/repository-index.ts';
import type { WaitingRequest } from '../../shared/packages/serve/wait-redirects.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { releasesOf } from './gate.ts';
import { renderIndex } from './rendering.ts';
import { helm } from './type.ts';
import { upstreamIndex } from './upstream-index.ts';

/**
 * Answers with the index of the sources, or redirects the client to wait for an upstream. Throws FILE_NOT_FOUND if there are
 * only upstreams, and none has an index.
 */
export const answerIndex = async (
  call: DocumentCall & IndexCall & WaitingRequest,
  sources: Sources,
): Promise<BytesResult | RedirectResult> => {
  const { baseUrl, params } = call;
  return orPending(helm, call, async () => {
    const found = await findRepositoryIndex(call, sources, upstreamIndex, versionGate(releasesOf));
    if (!found)
      throw new ApiError('FILE_NOT_FOUND', 'The upstream has no index.yaml: check the URL of the remote repository.');
    const contextPath = new URL(`${baseUrl}/helm/${params.workspace}/${params.repository}`).pathname;
    return answerLargeDocument(call, {
      ...found,
      sourceBytes: found.bytes,
      fileName: 'index.yaml',
      mediaType: 'application/yaml',
      render: async () => renderIndex(await found.load(), contextPath),
    });
  });
};
