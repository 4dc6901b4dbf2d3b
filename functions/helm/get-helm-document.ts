import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { fileEndpoint, fileIn } from '../../shared/packages/serve/file-endpoint.ts';
import { addressedSources, type IndexAddress } from '../../shared/packages/sources/package-address.ts';
import { getHelmDocument } from './contracts.ts';
import { parsePath } from './paths.ts';
import { answerIndex } from './reading.ts';
import { helm } from './type.ts';
import { indexName, locateFile, releaseOf } from './upstream-index.ts';

/** The index of the repository. */
const indexIn = ({ path }: { readonly path: string }): IndexAddress | undefined =>
  parsePath(path).kind === 'index' ? { documents: [indexName] } : undefined;

const files = fileEndpoint(helm, { addressIn: fileIn(parsePath), locate: locateFile, releaseOf, indexIn });

export const handler = endpoint(
  getHelmDocument,
  async (call) => {
    const sources = addressedSources(call, helm);
    const path = parsePath(call.params.path);
    if (path.kind === 'index') return answerIndex(call, sources);
    if (path.kind !== 'file') throw new ApiError('FILE_NOT_FOUND');
    return files.serve(call, sources, path);
  },
  { alsoRead: files.alsoRead },
);
