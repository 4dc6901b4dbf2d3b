import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { orPending } from '../../shared/packages/serve/pending-documents.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { keysOfFile } from '../../shared/packages/sources/resolution.ts';
import { sourceContents } from '../../shared/packages/sources/sources.ts';
import type { Key } from '../../shared/table/keys.ts';
import { packageHeadKey } from '../../shared/table/packages/package-keys.ts';
import { getGoFile } from './contracts.ts';
import { checksumsAnswer, latestAnswer, listAnswer, queryAnswer } from './documents.ts';
import { type GoPath, parsePath } from './paths.ts';
import { addressOf, serveVersionFile } from './reading.ts';
import { go } from './type.ts';

/** The keys that say what a repository with this content has of a path. An `.info` is made of the item of the zip. */
const keysIn = (contentId: string, path: GoPath): Key[] => {
  if (!('name' in path) || path.name === undefined) return [];
  if (path.kind !== 'file') return [packageHeadKey({ contentId, name: path.name })];
  const fileKind = path.fileKind === 'info' ? 'zip' : path.fileKind;
  return keysOfFile(contentId, addressOf({ ...path, fileKind }));
};

export const handler = endpoint(
  getGoFile,
  async (call) => {
    const sources = addressedSources(call, go);
    const path = parsePath(call.params.path);
    if (path.kind === 'unknown') throw new ApiError('FILE_NOT_FOUND', path.reason);
    if (path.kind === 'file') return serveVersionFile(call, sources, path);
    return orPending(go, call, async () => {
      if (path.kind === 'list') return listAnswer(call, sources, path.name);
      if (path.kind === 'latest') return latestAnswer(call, sources, path.name);
      return path.kind === 'query' ? queryAnswer(call, sources, path) : checksumsAnswer(call, sources, path);
    });
  },
  {
    alsoRead: (request) => {
      const { params, workspaceId, loaded } = request;
      const path = parsePath(params.path);
      return [
        ...alsoReadSources(request),
        ...sourceContents(workspaceId, params.repository, loaded).flatMap((contentId) => keysIn(contentId, path)),
      ];
    },
  },
);
