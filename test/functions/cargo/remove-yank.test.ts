import { linesOf, useCargoRegistry } from '../../harness/cargo.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';

const service = useService();
const { published, index, yank, unyank } = useCargoRegistry(service);

describe('PUT /cargo/{workspace}/{repository}/api/v1/crates/{crate}/{version}/unyank', () => {
  itAnswers('200 for a yanked version, which is then as it was before, and for one that is not yanked', async () => {
    const name = await published();
    const before = (await index(name)).text;
    await yank(name);
    expect(linesOf((await index(name)).text)).toMatchObject([{ yanked: true }]);
    const answers = [await unyank(name), await unyank(name)];
    expect((await index(name)).text).toBe(before);
    return answers;
  });

  itAnswers('404 VERSION_NOT_FOUND for a version that is not there', async () => unyank(await published(), '2.0.0'));
});
