import { getNugetSearch, publishNugetPackage, removeNugetListing } from '../../../functions/nuget/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';
import { nupkgOf, usePackageFeed } from '../../types/nupkgs.ts';

const { send, push } = usePackageFeed(useService(), 'nuget');

const published = async (...versions: readonly string[]): Promise<string> => {
  const id = uniqueName('Acme.Tool');
  for (const version of versions) await push(publishNugetPackage, 'v3/package/', nupkgOf({ id, version }));
  return id;
};

const shown = async (q: string): Promise<unknown> => {
  const { data } = JSON.parse((await send(getNugetSearch, `v3/query?q=${q}`)).text) as { data: { version: string }[] };
  return data.map(({ version }) => version);
};

describe('DELETE /nuget/{workspace}/{repository}/v3/package/{package}/{version}', () => {
  itAnswers('204 and searches no longer show the version, nor the package without any', async () => {
    const id = await published('1.0.0', '2.0.0');
    expect(await shown(id)).toEqual(['2.0.0']);
    const first = await send(removeNugetListing, `v3/package/${id}/2.0.0`);
    expect(await shown(id)).toEqual(['1.0.0']);
    const second = await send(removeNugetListing, `v3/package/${id.toLowerCase()}/1.0`);
    expect(await shown(id)).toEqual([]);
    return [first, second];
  });

  itAnswers('204 for a version that is not listed already', async () => {
    const path = `v3/package/${await published('1.0.0')}/1.0.0`;
    return [await send(removeNugetListing, path), await send(removeNugetListing, path)];
  });

  itAnswers('404 VERSION_NOT_FOUND for what is not there', async () => {
    const id = await published('1.0.0');
    return [
      await send(removeNugetListing, `v3/package/${id}/2.0.0`),
      await send(removeNugetListing, `v3/package/${id}/one`),
      await send(removeNugetListing, `v3/package/${uniqueName('other')}/1.0.0`),
    ];
  });
});
