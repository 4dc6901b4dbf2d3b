import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { serveAddressedFile } from '../../shared/packages/serve/file-download.ts';
import { addressedSources, alsoReadFileOrIndex } from '../../shared/packages/sources/package-address.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import { getHelmDocument } from './contracts.ts';
import { parsePath } from './paths.ts';
import { answerIndex } from './reading.ts';
import { spelling } from './spelling.ts';
import { locateFile } from './upstream-index.ts';

const fileIn = (path: string): FileAddress | undefined => {
  const parsed = parsePath(path);
  return parsed.kind === 'file' ? parsed : undefined;
};

/** The index of the repository. */
const indexIn = (path: string): Record<string, never> | undefined =>
  parsePath(path).kind === 'index' ? {} : undefined;

export const handler = endpoint(
  getHelmDocument,
  async (call) => {
    const sources = addressedSources(call, 'helm', spelling);
    const path = parsePath(call.params.path);
    if (path.kind === 'index') return answerIndex(call, sources);
    const served =
      path.kind === 'file' &&
      (await serveAddressedFile(call, sources, path, async (source, request) => locateFile(request, source, path)));
    if (!served) throw new ApiError('FILE_NOT_FOUND');
    return served;
  },
  { alsoRead: alsoReadFileOrIndex(fileIn, indexIn) },
);
