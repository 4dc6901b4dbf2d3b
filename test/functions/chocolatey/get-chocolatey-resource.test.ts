import { getChocolateyResource, publishChocolateyPackage } from '../../../functions/chocolatey/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';
import { contentIn, nupkgOf, usePackageFeed } from '../../types/nupkgs.ts';

const { send, push, urlOf } = usePackageFeed(useService(), 'chocolatey');

const get = async (path: string) => send(getChocolateyResource, `v3/${path}`);
const json = async (path: string): Promise<unknown> => JSON.parse((await get(path)).text);

const withVersions = async (...versions: readonly string[]): Promise<string> => {
  const id = uniqueName('acme.tool');
  for (const version of versions) await push(publishChocolateyPackage, '', nupkgOf({ id, version, content: version }));
  return id;
};

describe('GET /chocolatey/{workspace}/{repository}/v3/{path+}', () => {
  it('lists its addresses, with that of the repository for publications, and none for symbols', async () => {
    const { resources } = (await json('index.json')) as { resources: Record<string, string>[] };
    const addresses = Object.fromEntries(resources.map((each) => [each['@type'], each['@id']]));
    expect(addresses).toMatchObject({
      'PackageBaseAddress/3.0.0': urlOf('v3/flat/'),
      'RegistrationsBaseUrl/3.6.0': urlOf('v3/registration/'),
      SearchQueryService: urlOf('v3/query'),
      SearchAutocompleteService: urlOf('v3/autocomplete'),
      'PackagePublish/2.0.0': urlOf(''),
    });
    expect(addresses).not.toHaveProperty('SymbolPackagePublish/4.9.0');
  });

  it('has versions, files and what is known of them, and finds them', async () => {
    const id = await withVersions('1.0.0', '1.1.0');
    expect(await json(`flat/${id}/index.json`)).toEqual({ versions: ['1.0.0', '1.1.0'] });
    expect(contentIn((await get(`flat/${id}/1.1.0/${id}.1.1.0.nupkg`)).text)).toBe('1.1.0');
    expect((await get(`registration/${id}/index.json`)).text).toContain(urlOf(`v3/registration/${id}/1.1.0.json`));
    expect(await json(`query?q=${id}`)).toMatchObject({ totalHits: 1, data: [{ id, version: '1.1.0' }] });
    expect(await json(`autocomplete?id=${id}`)).toEqual({ data: ['1.0.0', '1.1.0'] });
    expect(await json(`autocomplete?q=${id}`)).toEqual({ totalHits: 1, data: [id] });
  });

  itAnswers('404 FILE_NOT_FOUND for what is no address of the protocol', async () => [
    await get('catalog0/index.json'),
    await get('flat/a/1.0.0/b.1.0.0.nupkg'),
  ]);
});
