import { endpoint } from '../../shared/http/endpoint.ts';
import { releaseOf } from '../../shared/packages/gate/untimed-releases.ts';
import { fileEndpoint } from '../../shared/packages/serve/file-endpoint.ts';
import { addressedSources } from '../../shared/packages/sources/package-address.ts';
import { getUniversalFile } from './contracts.ts';
import { fileAddressOf } from './path.ts';
import { universal } from './type.ts';
import { upstreamFile } from './upstream.ts';

const files = fileEndpoint(universal, {
  addressIn: ({ path }: { readonly path: string }) => fileAddressOf(path),
  locate: (_request, source, address) => upstreamFile(source, address),
  releaseOf,
});

export const handler = endpoint(
  getUniversalFile,
  async (call) => {
    const address = fileAddressOf(call.params.path);
    const sources = addressedSources(call, universal);
    return files.serve(call, sources, address);
  },
  { alsoRead: files.alsoRead },
);
