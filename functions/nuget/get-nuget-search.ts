import { endpoint } from '../../shared/http/endpoint.ts';
import { order } from '../../shared/packages/nupkg/versions.ts';
import { urlsOf } from '../../shared/packages/nupkg-protocol/addresses.ts';
import { answerSearch } from '../../shared/packages/nupkg-protocol/search.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { getNugetSearch } from './contracts.ts';
import { nuget } from './type.ts';

export const handler = endpoint(
  getNugetSearch,
  async (call) => answerSearch(call, addressedSources(call, { ...nuget, order }), urlsOf(nuget, call)),
  { alsoRead: alsoReadSources },
);
