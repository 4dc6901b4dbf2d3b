import { endpoint } from '../../shared/http/endpoint.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { refusingAsync } from '../../shared/packages/formats/format-refusals.ts';
import { symbolContent } from '../../shared/packages/nupkg/package-content.ts';
import { receivePackage } from '../../shared/packages/nupkg/received-package.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { publishTarget } from '../../shared/packages/sources/upload-target.ts';
import { publishNugetSymbols } from './contracts.ts';
import { nuget } from './type.ts';

export const handler = endpoint(
  publishNugetSymbols,
  async (call) => {
    const target = publishTarget(call, nuget);
    const received = await receivePackage(call.body, call.table);
    const content = await refusingAsync(async () => symbolContent(received));
    const { name, displayName, version } = content;
    await changeInTarget(call, { target, name, version }, async () =>
      publishTo(call, nuget, target, { ...content, isOpen: true, isAddition: true }),
    );
    return { id: displayName, version };
  },
  { alsoRead: alsoReadSources },
);
