import { getNpmUser } from '../../../functions/npm/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useNpmRegistry } from '../../harness/npm-registry.ts';
import { useService } from '../../harness/service.ts';

const service = useService();
const registry = useNpmRegistry(service);

describe('GET /npm/{workspace}/{repository}/-/whoami', () => {
  itAnswers('200 with the name of who calls, by token and by password', async () => {
    const viewer = await service.world.member(registry.workspace);
    await service.world.grant(registry.workspace, registry.local, viewer, 'canView');
    const answers = await Promise.all(
      [viewer.bearer, viewer.account].map((as) => registry.send(getNpmUser, '-/whoami', { as })),
    );
    for (const { result } of answers) expect(result).toEqual({ username: viewer.username });
    return answers;
  });
});
