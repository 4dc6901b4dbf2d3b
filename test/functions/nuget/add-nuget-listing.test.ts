import {
  addNugetListing,
  getNugetSearch,
  publishNugetPackage,
  removeNugetListing,
} from '../../../functions/nuget/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';
import { nupkgOf, usePackageFeed } from '../../types/nupkgs.ts';

const { send, push } = usePackageFeed(useService(), 'nuget');

describe('POST /nuget/{workspace}/{repository}/v3/package/{package}/{version}', () => {
  itAnswers('200 and searches show the version again', async () => {
    const id = uniqueName('Acme.Tool');
    await push(publishNugetPackage, 'v3/package/', nupkgOf({ id, version: '1.0.0' }));
    const path = `v3/package/${id}/1.0.0`;
    await send(removeNugetListing, path);
    const answer = await send(addNugetListing, path);
    expect(answer.result).toEqual({ listed: true });
    const { totalHits, data } = JSON.parse((await send(getNugetSearch, `v3/query?q=${id}`)).text) as {
      totalHits: number;
      data: unknown[];
    };
    expect([totalHits, data.length]).toEqual([1, 1]);
    return [answer, await send(addNugetListing, path)];
  });

  itAnswers('404 VERSION_NOT_FOUND for what is not there', async () =>
    send(addNugetListing, `v3/package/${uniqueName('other')}/1.0.0`),
  );
});
