import { getNpmUser } from '../../../functions/npm/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { errorOf, useNpmRepository } from '../../harness/npm.ts';
import { useService } from '../../harness/service.ts';

const service = useService();
const npm = useNpmRepository(service);

describe('GET /npm/{workspace}/{repository}/-/whoami', () => {
  itAnswers('200 with the username, for every form of credential', async () => {
    const { workspace, repository } = npm.setting;
    const viewer = await service.world.member(workspace);
    await service.world.grant(workspace, repository, viewer, 'canView');
    const answers = await Promise.all(
      [viewer.bearer, viewer.tokenAsPassword, viewer.account].map((as) => npm.send(getNpmUser, '-/whoami', { as })),
    );
    for (const { result } of answers) expect(result).toEqual({ username: viewer.username });
    return answers;
  });

  itAnswers('401 UNAUTHENTICATED for a wrong token; npm prints that', async () => {
    const answer = await npm.send(getNpmUser, '-/whoami', { as: 'Bearer str_pat_wrong' });
    expect(answer.headers['www-authenticate']).toBe('Basic realm="stockroom", charset="UTF-8"');
    expect(errorOf(answer) ?? answer.problem?.message).toBe(answer.problem?.detail);
    return answer;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a member without a permission, and for another package type', async () => {
    const { workspace } = npm.setting;
    const member = await service.world.member(workspace);
    const repository = await service.world.repository(workspace, undefined, 'universal');
    return [
      await npm.send(getNpmUser, '-/whoami', { as: member.bearer }),
      await npm.send(getNpmUser, '-/whoami', { repository }),
    ];
  });
});
