import { endpoint } from '../../shared/http/endpoint.ts';
import { serveAddressedFile } from '../../shared/packages/serve/file-download.ts';
import { alsoReadFile } from '../../shared/packages/sources/package-address.ts';
import { crateSources } from './addresses.ts';
import { getCrate } from './contracts.ts';
import { crateFileOf, missingVersion } from './files.ts';
import { crateLocationKeys, locateCrate } from './upstream-documents.ts';

export const handler = endpoint(
  getCrate,
  async (call) => {
    const { params } = call;
    const address = crateFileOf(params);
    const served = await serveAddressedFile(
      call,
      crateSources(call),
      address,
      async (source, request) => locateCrate(request, source, params),
      { locationKeys: (source) => crateLocationKeys(source, params.crate) },
    );
    if (!served) throw missingVersion(params);
    return served;
  },
  {
    alsoRead: (request) => {
      const { params } = request;
      return alsoReadFile(() => crateFileOf(params))({ ...request, params: { ...params, path: '' } });
    },
  },
);
