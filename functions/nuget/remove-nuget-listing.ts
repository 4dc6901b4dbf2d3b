import { endpoint } from '../../shared/http/endpoint.ts';
import { setListed } from '../../shared/packages/nupkg/listing.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { removeNugetListing } from './contracts.ts';
import { nuget } from './type.ts';

export const handler = endpoint(
  removeNugetListing,
  async (call) => {
    await setListed(call, nuget, false);
    return { kind: 'bytes', status: 204, mediaType: 'application/json' };
  },
  { alsoRead: alsoReadSources },
);
