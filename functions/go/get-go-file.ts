import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { orPending } from '../../shared/packages/serve/pending-documents.ts';
import {
  addressedSources,
  alsoReadFileOrIndex,
  type IndexAddress,
} from '../../shared/packages/sources/package-address.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import { getGoFile } from './contracts.ts';
import { checksumsAnswer, latestAnswer, listAnswer, queryAnswer } from './documents.ts';
import { parsePath } from './paths.ts';
import { addressOf, serveVersionFile } from './reading.ts';
import { go } from './type.ts';
import { latestName, listName } from './upstream-documents.ts';
import { order } from './versions.ts';

/** The file that a path is about. An `.info` is made of the item of the zip. */
const addressIn = ({ path }: { readonly path: string }): FileAddress | undefined => {
  const parsed = parsePath(path);
  return parsed.kind === 'file'
    ? addressOf({ ...parsed, fileKind: parsed.fileKind === 'info' ? 'zip' : parsed.fileKind })
    : undefined;
};

/** The module that a path is about, and the document that the path is. */
const indexIn = ({ path }: { readonly path: string }): IndexAddress | undefined => {
  const parsed = parsePath(path);
  if (parsed.kind === 'file' || !('name' in parsed) || parsed.name === undefined) return undefined;
  const { name, kind } = parsed;
  if (kind === 'list') return { name, documents: [listName(name)] };
  return kind === 'latest' ? { name, documents: [latestName(name)] } : { name };
};

export const handler = endpoint(
  getGoFile,
  async (call) => {
    const sources = addressedSources(call, { ...go, order });
    const path = parsePath(call.params.path);
    if (path.kind === 'unknown') throw new ApiError('FILE_NOT_FOUND', path.reason);
    if (path.kind === 'file') return serveVersionFile(call, sources, path);
    return orPending(go, call, async () => {
      if (path.kind === 'list') return listAnswer(call, sources, path.name);
      if (path.kind === 'latest') return latestAnswer(call, sources, path.name);
      return path.kind === 'query' ? queryAnswer(call, sources, path) : checksumsAnswer(call, sources, path);
    });
  },
  { alsoRead: alsoReadFileOrIndex(addressIn, indexIn) },
);
