import { endpoint } from '../../shared/http/endpoint.ts';
import { setListed } from '../../shared/packages/nupkg/listing.ts';
import { versionAddress } from '../../shared/packages/nupkg-feed/paths.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { removeChocolateyListing } from './contracts.ts';
import { chocolatey } from './type.ts';

export const handler = endpoint(
  removeChocolateyListing,
  async (call) => {
    await setListed({ ...call, params: versionAddress(call.params.path) }, chocolatey, false);
    return { kind: 'bytes', status: 204, mediaType: 'application/json' };
  },
  { alsoRead: alsoReadSources },
);
