import { endpoint } from '../../shared/http/endpoint.ts';
import { order } from '../../shared/packages/nupkg/versions.ts';
import { completePackages } from '../../shared/packages/nupkg-protocol/completion.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { getNugetCompletion } from './contracts.ts';
import { nuget } from './type.ts';

export const handler = endpoint(
  getNugetCompletion,
  async (call) => completePackages(call, addressedSources(call, { ...nuget, order })),
  { alsoRead: alsoReadSources },
);
