import { getRegistry } from '../../../functions/docker/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';

const service = useService();

const get = async (as: string | undefined, path = '/v2') =>
  service.client.sendTo(getRegistry, { path, headers: as === undefined ? [] : [['Authorization', as]] });

describe('GET /v2', () => {
  itAnswers('200 for everybody with a credential, with and without a slash at the end', async () => {
    const workspace = await service.world.workspace();
    const user = await service.world.user();
    const machine = await service.world.workspaceToken(workspace, 'canView');
    const answers = [
      await get(user.bearer),
      await get(user.bearer, '/v2/'),
      await get(machine.bearer, '/v2/'),
      await get(user.bearer, '/v2/?ns=docker.io'),
    ];
    for (const { text, headers } of answers)
      expect([text, headers['docker-distribution-api-version']]).toEqual(['{}', 'registry/2.0']);
    return answers;
  });

  itAnswers(
    '401 UNAUTHENTICATED without one, with Basic alone in the challenge: a client takes the realm of Bearer for a URL',
    async () => {
      const answer = await get(undefined, '/v2/');
      expect(answer.headers['www-authenticate']).toBe('Basic realm="stockroom", charset="UTF-8"');
      return answer;
    },
  );
});
