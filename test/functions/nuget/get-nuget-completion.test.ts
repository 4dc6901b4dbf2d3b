import { getNugetCompletion, publishNugetPackage } from '../../../functions/nuget/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';
import { nupkgOf, usePackageFeed } from '../../types/nupkgs.ts';

const { send, push } = usePackageFeed(useService(), 'nuget');

const complete = async (query: string) => send(getNugetCompletion, `v3/autocomplete?${query}`);
const completed = async (query: string): Promise<unknown> => JSON.parse((await complete(query)).text);

describe('GET /nuget/{workspace}/{repository}/v3/autocomplete', () => {
  it('completes IDs, and lists the versions of one', async () => {
    const id = uniqueName('Acme.Tool');
    for (const version of ['1.0.0', '1.1.0-beta.1+5', '1.2.0'])
      await push(publishNugetPackage, 'v3/package/', nupkgOf({ id, version }));
    expect(await completed(`q=${id.slice(0, -2)}`)).toEqual({ totalHits: 1, data: [id] });
    expect(await completed(`id=${id.toUpperCase()}`)).toEqual({ data: ['1.0.0', '1.2.0'] });
    expect(await completed(`id=${id}&prerelease=true&semVerLevel=2.0.0`)).toEqual({
      data: ['1.0.0', '1.1.0-beta.1+5', '1.2.0'],
    });
  });

  itAnswers('200 without versions for what is no package', async () => {
    const answers = [await complete(`id=${uniqueName('other')}`), await complete('id=a%20b')];
    for (const { text } of answers) expect(JSON.parse(text)).toEqual({ data: [] });
    return answers;
  });
});
