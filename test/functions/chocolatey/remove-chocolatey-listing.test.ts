import {
  getChocolateyDocument,
  publishChocolateyPackage,
  removeChocolateyListing,
} from '../../../functions/chocolatey/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';
import { versionsIn } from '../../types/feeds.ts';
import { contentIn, nupkgOf, usePackageFeed } from '../../types/nupkgs.ts';

const { send, push } = usePackageFeed(useService(), 'chocolatey');

const published = async (...versions: readonly string[]): Promise<string> => {
  const id = uniqueName('Acme.Tool');
  for (const version of versions) await push(publishChocolateyPackage, '', nupkgOf({ id, version, content: version }));
  return id;
};

const shown = async (id: string, filter = '$filter=IsLatestVersion') =>
  versionsIn((await send(getChocolateyDocument, `Search()?searchTerm='${id}'&${filter}`)).text);

describe('DELETE /chocolatey/{workspace}/{repository}/{path+}', () => {
  itAnswers('204 and searches no longer show the version, which still installs', async () => {
    const id = await published('1.0.0', '2.0.0');
    expect(await shown(id)).toEqual([`${id} 2.0.0`]);
    const first = await send(removeChocolateyListing, `${id}/2.0.0`);
    expect(await shown(id)).toEqual([`${id} 1.0.0`]);
    expect(await shown(id, '')).toEqual([`${id} 1.0.0`]);
    const second = await send(removeChocolateyListing, `package/${id.toLowerCase()}/1.0`);
    expect(await shown(id)).toEqual([]);
    expect(contentIn((await send(getChocolateyDocument, `package/${id}/2.0.0`)).text)).toBe('2.0.0');
    return [first, second];
  });

  itAnswers('404 VERSION_NOT_FOUND for what is not there', async () => {
    const id = await published('1.0.0');
    return [
      await send(removeChocolateyListing, `${id}/2.0.0`),
      await send(removeChocolateyListing, `${id}/one`),
      await send(removeChocolateyListing, id),
      await send(removeChocolateyListing, `${id}/1.0.0/x`),
      await send(removeChocolateyListing, `${uniqueName('other')}/1.0.0`),
    ];
  });
});
