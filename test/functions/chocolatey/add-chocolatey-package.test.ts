import { addChocolateyPackage, getChocolateyDocument } from '../../../functions/chocolatey/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';
import { contentIn, nupkgOf, usePackageFeed } from '../../types/nupkgs.ts';

const { send, push } = usePackageFeed(useService(), 'chocolatey');

describe('PUT /chocolatey/{workspace}/{repository}/package', () => {
  itAnswers('201 for what is the same as at the address of the repository, with and without a slash', async () => {
    const id = uniqueName('Acme.Module');
    const answers = [
      await push(addChocolateyPackage, 'package/', nupkgOf({ id, version: '1.0.0', content: 'bytes' })),
      await push(addChocolateyPackage, 'package', nupkgOf({ id, version: '1.1.0' })),
    ];
    expect(contentIn((await send(getChocolateyDocument, `package/${id}/1.0.0`)).text)).toBe('bytes');
    return answers;
  });

  itAnswers('409 VERSION_EXISTS for a version that is there', async () => {
    const id = uniqueName('Acme.Module');
    await push(addChocolateyPackage, 'package/', nupkgOf({ id, version: '1.0.0' }));
    return push(addChocolateyPackage, 'package/', nupkgOf({ id, version: '1.0.0', content: 'other' }));
  });
});
