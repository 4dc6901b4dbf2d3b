import { endpoint } from '../../shared/http/endpoint.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { refusingAsync } from '../../shared/packages/formats/format-refusals.ts';
import { packageContent } from '../../shared/packages/nupkg/package-content.ts';
import { receivePackage } from '../../shared/packages/nupkg/received-package.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { publishTarget } from '../../shared/packages/sources/upload-target.ts';
import { publishNugetPackage } from './contracts.ts';
import { nuget } from './type.ts';

export const handler = endpoint(
  publishNugetPackage,
  async (call) => {
    const target = publishTarget(call, nuget);
    const received = await receivePackage(call.body, call.table);
    const content = await refusingAsync(async () => packageContent(received));
    await publishTo(call, nuget, target, content);
    return { id: content.displayName, version: content.version };
  },
  { alsoRead: alsoReadSources },
);
