import {
  addChocolateyListing,
  getChocolateyDocument,
  publishChocolateyPackage,
  removeChocolateyListing,
} from '../../../functions/chocolatey/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';
import { readFeedPage } from '../../types/feeds.ts';
import { nupkgOf, usePackageFeed } from '../../types/nupkgs.ts';

const { send, push } = usePackageFeed(useService(), 'chocolatey');

describe('POST /chocolatey/{workspace}/{repository}/{path+}', () => {
  itAnswers('200 and the version is one that is listed again', async () => {
    const id = uniqueName('Acme.Tool');
    await push(publishChocolateyPackage, '', nupkgOf({ id, version: '1.0.0' }));
    const flags = async () => {
      const { text } = await send(getChocolateyDocument, `FindPackagesById()?id='${id}'`);
      const { Listed, IsLatestVersion, Published } = readFeedPage(text).entries[0]?.properties ?? {};
      return [Listed, IsLatestVersion, Published?.startsWith('1900-')];
    };
    await send(removeChocolateyListing, `${id}/1.0.0`);
    expect(await flags()).toEqual(['false', 'false', true]);
    const answer = await send(addChocolateyListing, `${id}/1.0.0`);
    expect(await flags()).toEqual(['true', 'true', false]);
    return answer;
  });

  itAnswers('404 VERSION_NOT_FOUND for what is not there', async () =>
    send(addChocolateyListing, `${uniqueName('other')}/1.0.0`),
  );
});
