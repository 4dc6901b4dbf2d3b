import { endpoint } from '../../shared/http/endpoint.ts';
import { setListed } from '../../shared/packages/nupkg/listing.ts';
import { versionAddress } from '../../shared/packages/nupkg-feed/paths.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { addChocolateyListing } from './contracts.ts';
import { chocolatey } from './type.ts';

export const handler = endpoint(
  addChocolateyListing,
  async (call) => {
    await setListed({ ...call, params: versionAddress(call.params.path) }, chocolatey, true);
    return { listed: true };
  },
  { alsoRead: alsoReadSources },
);
