import { endpoint } from '../../shared/http/endpoint.ts';
import { publishPushed } from '../../shared/packages/nupkg/publishing.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { publishChocolateyPackage } from './contracts.ts';
import { chocolatey } from './type.ts';

export const handler = endpoint(publishChocolateyPackage, async (call) => publishPushed(call, chocolatey), {
  alsoRead: alsoReadSources,
});
