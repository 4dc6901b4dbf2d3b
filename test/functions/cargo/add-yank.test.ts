import { linesOf, useCargoRegistry } from '../../harness/cargo.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const { setting, published, index, yank } = useCargoRegistry(service);

const yankedOf = async (name: string): Promise<unknown[]> =>
  linesOf((await index(name)).text).map(({ vers, yanked }) => [vers, yanked]);

describe('DELETE /cargo/{workspace}/{repository}/api/v1/crates/{crate}/{version}/yank', () => {
  itAnswers('200 for a version, which the index then shows as yanked, and again for one that is yanked', async () => {
    const name = await published();
    await published({ name, version: '1.1.0' });
    const before = linesOf((await index(name)).text);
    const answers = [await yank(name), await yank(name.toUpperCase()), await yank(name, '1.0.0+any')];
    expect(linesOf((await index(name)).text)).toEqual([{ ...before[0], yanked: true }, before[1]]);
    expect(answers.map(({ result }) => result)).toEqual(answers.map(() => ({ ok: true })));
    return answers;
  });

  itAnswers('404 VERSION_NOT_FOUND for a version that is not there', async () => {
    const name = await published();
    const answers = [await yank(name, '2.0.0'), await yank(name, 'no-version'), await yank(uniqueName('crate'))];
    expect(await yankedOf(name)).toEqual([['1.0.0', false]]);
    return answers;
  });

  itAnswers('400 REPOSITORY_READ_ONLY for a version in another child than the upload target', async () => {
    const { workspace, repository } = setting;
    const target = await service.world.repository(workspace, undefined, 'cargo');
    const virtual = await createVirtual(service, workspace, [repository, target], {
      packageType: 'cargo',
      uploadLocalRepositoryId: target.id,
    });
    const name = await published();
    const answer = await yank(name, '1.0.0', { repository: virtual });
    expect(answer.problem?.detail).toContain(`is in '${repository.name}'`);
    return answer;
  });

  itAnswers('403 FORBIDDEN for who may only view', async () => {
    const viewer = await service.world.member(setting.workspace);
    await service.world.grant(setting.workspace, setting.repository, viewer, 'canView');
    return yank(await published(), '1.0.0', { as: viewer.bearer });
  });
});
