import { endpoint } from '../../shared/http/endpoint.ts';
import { publishPushed } from '../../shared/packages/nupkg/publishing.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { publishNugetPackage } from './contracts.ts';
import { nuget } from './type.ts';

export const handler = endpoint(publishNugetPackage, async (call) => publishPushed(call, nuget), {
  alsoRead: alsoReadSources,
});
