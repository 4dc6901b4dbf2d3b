import { endpoint } from '../../shared/http/endpoint.ts';
import { fileEndpoint } from '../../shared/packages/serve/file-endpoint.ts';
import { crateSources } from './addresses.ts';
import { getCrate } from './contracts.ts';
import { crateFileOf, missingVersion, type VersionParams } from './files.ts';
import { cargo } from './type.ts';
import { crateLocationKeys, locateCrate, releaseOf } from './upstream-documents.ts';

/** The file of a version, and its spelling in the path, by which an upstream is asked. */
const addressedCrate = (asked: VersionParams) => ({ ...crateFileOf(asked), asked });

const files = fileEndpoint(cargo, {
  addressIn: addressedCrate,
  locate: (request, source, { asked }) => locateCrate(request, source, asked),
  locationKeys: (source, { asked }) => crateLocationKeys(source, asked),
  releaseOf,
  missing: ({ asked }) => missingVersion(asked),
});

export const handler = endpoint(
  getCrate,
  async (call) => {
    const address = addressedCrate(call.params);
    return files.serve(call, crateSources(call), address);
  },
  { alsoRead: files.alsoRead },
);
