import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { orPending } from '../../shared/packages/serve/pending-documents.ts';
import { addressedSources, alsoReadAddress, alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { sourceContents } from '../../shared/packages/sources/sources.ts';
import type { Key } from '../../shared/table/keys.ts';
import { packageHeadKey } from '../../shared/table/packages/package-keys.ts';
import { getGoFile } from './contracts.ts';
import { checksumsAnswer, latestAnswer, listAnswer, queryAnswer } from './documents.ts';
import { type GoPath, parsePath } from './paths.ts';
import { addressOf, serveVersionFile } from './reading.ts';
import { go } from './type.ts';

/** The keys that say what the sources have of a path. An `.info` is made of the item of the zip. */
const alsoReadPath = (request: Parameters<typeof alsoReadAddress>[0], path: GoPath): readonly Key[] => {
  if (!('name' in path) || path.name === undefined) return [];
  const { name } = path;
  if (path.kind !== 'file')
    return sourceContents(request.workspaceId, request.params.repository, request.loaded).map((contentId) =>
      packageHeadKey({ contentId, name }),
    );
  const fileKind = path.fileKind === 'info' ? 'zip' : path.fileKind;
  return alsoReadAddress(request, addressOf({ ...path, fileKind }));
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
    alsoRead: (request) => [...alsoReadSources(request), ...alsoReadPath(request, parsePath(request.params.path))],
  },
);
