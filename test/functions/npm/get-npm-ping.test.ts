import { getNpmPing } from '../../../functions/npm/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { errorOf, useNpmRepository } from '../../harness/npm.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';

const service = useService();
const npm = useNpmRepository(service);

describe('GET /npm/{workspace}/{repository}/-/ping', () => {
  itAnswers('200 with an empty object, for a local and for a virtual repository, and as npm asks', async () => {
    const { workspace, repository } = npm.setting;
    const virtual = await createVirtual(service, workspace, [repository]);
    const answers = [
      await npm.send(getNpmPing, '-/ping'),
      await npm.send(getNpmPing, '-/ping?write=true'),
      await npm.send(getNpmPing, '-/ping', { repository: virtual }),
    ];
    for (const { result } of answers) expect(result).toEqual({});
    return answers;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for another package type; npm prints that', async () => {
    const repository = await service.world.repository(npm.setting.workspace, undefined, 'universal');
    const answer = await npm.send(getNpmPing, '-/ping', { repository });
    expect(errorOf(answer)).toBe(answer.problem?.detail);
    return answer;
  });
});
