import { endpoint } from '../../shared/http/endpoint.ts';
import { setListed } from '../../shared/packages/nupkg/listing.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { addNugetListing } from './contracts.ts';
import { nuget } from './type.ts';

export const handler = endpoint(
  addNugetListing,
  async (call) => {
    await setListed(call, nuget, true);
    return { listed: true };
  },
  { alsoRead: alsoReadSources },
);
