import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { serveAddressedFile } from '../../shared/packages/serve/file-download.ts';
import { addressedSources, alsoReadFile } from '../../shared/packages/sources/package-address.ts';
import { getUniversalFile } from './contracts.ts';
import { fileAddressOf } from './path.ts';
import { spelling } from './spelling.ts';
import { upstreamFile } from './upstream.ts';

export const handler = endpoint(
  getUniversalFile,
  async (call) => {
    const address = fileAddressOf(call.params.path);
    const sources = addressedSources(call, 'universal', spelling);
    const served = await serveAddressedFile(call, sources, address, async (source) => upstreamFile(source, address));
    if (!served) throw new ApiError('FILE_NOT_FOUND');
    return served;
  },
  { alsoRead: alsoReadFile(fileAddressOf) },
);
