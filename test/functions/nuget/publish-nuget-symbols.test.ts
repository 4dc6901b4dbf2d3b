import { publishNugetPackage, publishNugetSymbols } from '../../../functions/nuget/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';
import { type FeedRequest, nupkgOf, symbolsOf, usePackageFeed } from '../../types/nupkgs.ts';

const service = useService();
const { setting, push } = usePackageFeed(service, 'nuget');

const newPackage = () => ({ id: uniqueName('Acme.Tool'), version: '1.0.0' });
const publish = async (file: Uint8Array) => push(publishNugetPackage, 'v3/package/', file);
const publishSymbols = async (file: Uint8Array, request?: FeedRequest) =>
  push(publishNugetSymbols, 'v3/symbolpackage/', file, request);

describe('PUT /nuget/{workspace}/{repository}/v3/symbolpackage', () => {
  itAnswers('201 for the symbols of a version, with ID and version', async () => {
    const each = newPackage();
    await publish(nupkgOf(each));
    const answer = await publishSymbols(symbolsOf(each));
    expect(answer.result).toEqual(each);
    return answer;
  });

  itAnswers('409 VERSION_EXISTS for symbols that are there', async () => {
    const each = newPackage();
    await publish(nupkgOf(each));
    await publishSymbols(symbolsOf(each));
    return publishSymbols(symbolsOf({ ...each, content: 'other' }));
  });

  itAnswers('404 VERSION_NOT_FOUND before the package', async () => {
    const each = newPackage();
    await publish(nupkgOf(each));
    return [
      await publishSymbols(symbolsOf(newPackage())),
      await publishSymbols(symbolsOf({ ...each, version: '2.0.0' })),
    ];
  });

  itAnswers('400 PACKAGE_INVALID for a package without the type of symbols', async () => {
    const each = newPackage();
    await publish(nupkgOf(each));
    return publishSymbols(nupkgOf(each));
  });

  itAnswers('400 REPOSITORY_READ_ONLY if another child than the upload target has the version', async () => {
    const each = newPackage();
    await publish(nupkgOf(each));
    const target = await service.world.repository(setting.workspace, undefined, 'nuget');
    const fields = { packageType: 'nuget', uploadLocalRepositoryId: target.id } as const;
    const virtual = await createVirtual(service, setting.workspace, [setting.repository, target], fields);
    return publishSymbols(symbolsOf(each), { repository: virtual });
  });
});
