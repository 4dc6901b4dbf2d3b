import { getGemsRoot } from '../../../functions/gems/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { useGems } from '../../types/gems.ts';

const service = useService();
const { setting, send } = useGems(service);

describe('GET /gems/{workspace}/{repository}', () => {
  itAnswers('200 with a sentence, with and without a slash at the end, which gem asks before an index', async () => {
    const answer = await send(getGemsRoot, '');
    expect(answer.text).toContain(`${setting.repository.name} is a source of gems`);
    const slashed = await send(getGemsRoot, '', {
      repository: { ...setting.repository, name: `${setting.repository.name}/` },
    });
    return [answer, slashed];
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another type', async () => {
    const repository = await service.world.repository(setting.workspace, undefined, 'npm');
    return send(getGemsRoot, '', { repository });
  });
});
